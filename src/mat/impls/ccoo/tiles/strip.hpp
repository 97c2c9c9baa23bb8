#pragma once

/// \file strip.hpp
/// Strips: eight neighbouring groups of a diagonal tile whose values are with their patterns, as one list of slots.
///
/// On a grid the first and the last rows of each line lack some slots, so that their groups have patterns of their own,
/// and a product that went from pattern to pattern would stop there (20 ns each, AMD Zen 4, where a group among equal
/// ones takes 5). In a strip such a slot is one with a hole: a slot is a column offset, a value, and the rows of 64
/// that have it. Rows with another value at the same offset are a slot of their own. A strip is made from its patterns
/// and is known by their numbers; it adds nothing to what they say.
///
/// Three slots whose offsets are o, o + 1 and o + 2, the middle one without holes, are a triple. Triples with the same
/// three values and the same rows, as the neighbouring lines of a grid have them, come one after the other: a product
/// adds their x before it multiplies.

#include <iterator>

#include "impls/ccoo/ccoo_layout.hpp"
#include "impls/ccoo/ccoo_tuning.hpp"

namespace petscspmv::ccoo {

/// The slots of a strip.
template <class Scalar> struct StripView {
  int              slots;
  const Local     *offset; ///< [slots] ascending, but for triples that are alike
  const StripMask *lanes;  ///< [slots]
  const Scalar    *value;  ///< [slots]
  const int       *alike;  ///< [slots] where triples that are alike begin: how many; of a slot that is in no triple: 0
};

template <class Scalar> [[gnu::always_inline]] inline StripView<Scalar> slots_of(const Layout<Scalar> &m, const Strip &s)
{
  return {static_cast<int>(s.slots), m.strip_offset + s.first_slot, m.strip_lanes + s.first_slot, m.strip_value + s.first_slot,
          m.strip_alike + s.first_slot};
}

/// A strip with these slots, whose offsets ascend. Where the next offset is near, x has been read a moment before; the
/// others are its fronts.
template <class Slots> Strip make_strip(std::uint32_t first_slot, const Slots &slots)
{
  Strip s{first_slot, static_cast<std::uint32_t>(slots.size()), 0, {}};
  for (std::size_t k = slots.size(); k-- > 0 && s.fronts < std::size(s.front);)
    if (k + 1 == slots.size() || slots[k + 1].offset - slots[k].offset >= tuning::x_far_entries) s.front[s.fronts++] = slots[k].offset;
  return s;
}

} // namespace petscspmv::ccoo
