#pragma once

/// \file unit_arrays.hpp
/// Units: groups of 128 rows of diagonal tiles, or what is left of one at the end of a tile. Lane l of a warp has rows
/// l, l + 32, l + 64 and l + 96. Groups without entries are units, too, of a pattern without slots.

#include <algorithm>
#include <numeric>
#include <vector>

#include "impls/ccoo/device/kind.hpp"

namespace petscspmv::ccoo::image {

/// 128 rows, or fewer.
struct alignas(16) Unit {
  static constexpr std::uint32_t shares = 1U << 31; ///< in `value`, beside the number of its SharedValues

  Local         row, end;
  std::uint32_t pattern;
  std::uint32_t value; ///< streamed: its first value, over value_grain
};

/// Whether rows of a unit share its values.
constexpr bool shares_values(const Unit &u)
{
  return (u.value & Unit::shares) != 0;
}
constexpr std::uint32_t number_of_shared(const Unit &u)
{
  return u.value & ~Unit::shares;
}

/// What rows of a unit look like. Slots that all lanes have come first.
struct alignas(16) Pattern {
  /// first_value where values are not packed. mixed: those of some slots are with the slot, the others are streamed
  static constexpr std::uint32_t by_slot = ~0U, streamed = ~0U - 1, mixed = ~0U - 2;

  std::uint32_t first_slot;
  std::uint32_t first_lanes; ///< in words of 32 bits, for the slots that are not full
  std::uint32_t first_value;
  std::uint16_t slots, full;
};

/// An offset that rows of a pattern have. All that a lane wants to know of it is in one load or two.
template <class Scalar> struct alignas(16) Slot {
  static constexpr std::uint32_t alone = ~0U; ///< `before`, of a slot of a mixed pattern that has its value with it

  Scalar        value; ///< by_slot, and where it is alone
  Local         offset;
  std::uint32_t before; ///< entries of the pattern in the slots before; mixed: streamed ones
};

/// Whether units that look so have values of their own.
constexpr bool has_streamed_values(const Pattern &p)
{
  return p.first_value == Pattern::streamed || p.first_value == Pattern::mixed;
}

/// Calls visit(number of the slot in m.slot, lanes) for each slot of a pattern by ascending offsets, as entries follow
/// each other in a row; lanes(visit) calls visit(lane) for each lane that has it.
template <class Scalar, class Visit> void for_each_slot(const Image<Scalar> &m, const Pattern &p, const Visit &visit)
{
  const Slot<Scalar> *const slot = m.slot.data() + p.first_slot;
  std::vector<int>          order(p.slots);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [slot](int k, int l) { return slot[k].offset < slot[l].offset; });
  for (const int k : order) {
    const std::uint32_t *const word =
      k < p.full ? nullptr : m.lanes_of_slots.data() + p.first_lanes + (k - p.full) / 32 * DeviceGroup::rows;
    visit(p.first_slot + static_cast<std::size_t>(k), [&](const auto &visit_lane) {
      for (int lane = 0; lane < DeviceGroup::rows; ++lane)
        if (!word || (word[lane] >> (k - p.full) % 32 & 1) != 0) visit_lane(lane);
    });
  }
}

} // namespace petscspmv::ccoo::image
