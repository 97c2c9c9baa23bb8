#pragma once

/// \file pool.hpp
/// The pool of patterns: what groups of rows look like, each kept once.

#include <array>
#include <span>
#include <vector>

#include "core/footprint.hpp"
#include "impls/ccoo/ccoo_layout.hpp"
#include "impls/ccoo/plan/group.hpp"
#include "kernels/coding/number_index.hpp"

namespace petscspmv::ccoo {

/// Patterns by their content.
template <class Scalar, class Group> class PatternPool {
public:
  using Mask     = typename Group::Mask;
  using SlotView = ccoo::SlotView<Mask>;

  std::vector<Pattern> patterns;
  std::vector<Local>   offsets; ///< of slots
  std::vector<Mask>    lanes;   ///< of slots
  std::vector<Scalar>  values;

  std::size_t size() const { return patterns.size(); }
  std::size_t bytes() const
  {
    return patterns.size() * sizeof(Pattern) + offsets.size() * (sizeof(Local) + sizeof(Mask)) + values.size() * sizeof(Scalar);
  }
  std::size_t bytes_taken() const
  {
    return petscspmv::bytes_taken(patterns) + petscspmv::bytes_taken(offsets) + petscspmv::bytes_taken(lanes) +
           petscspmv::bytes_taken(values) + index_.bytes_taken();
  }
  SlotView slots(const Pattern &p) const { return {p.slots, offsets.data() + p.first_slot, lanes.data() + p.first_slot}; }

  /// The number of the pattern with these slots and these values (one for each slot, or for each entry, or none), which
  /// is added where it is new. `entries` is the number of lanes that all slots have together, `streams` says which
  /// slots of a mixed pattern have no value here.
  std::uint32_t add(const SlotView &s, int entries, PatternValues kind, std::span<const Scalar> value, Local first_row,
                    std::uint32_t streams = 0)
  {
    return add(kernels::mix(hash_of(s, kind, value), static_cast<std::uint64_t>(streams)), s, entries, kind, value, first_row, streams);
  }
  /// A pattern of another pool.
  std::uint32_t add(const PatternPool &other, std::size_t number)
  {
    const Pattern &p = other.patterns[number];
    return add(other.index_.hash(static_cast<std::int64_t>(number)), other.slots(p), p.entries, p.values, other.value(p), p.first_row,
               p.streams);
  }
  /// The values that are with a pattern.
  std::span<const Scalar> value(const Pattern &p) const
  {
    const std::size_t n = p.values == PatternValues::streamed ? 0 : p.values == PatternValues::packed ? p.entries : p.slots;
    return {values.data() + p.first_value, n};
  }

  /// Forgets the patterns from number n on.
  void cut(std::size_t n)
  {
    index_.cut(static_cast<std::int64_t>(n));
    if (n >= size()) return;
    const Pattern &first = patterns[n];
    offsets.resize(first.first_slot);
    lanes.resize(first.first_slot);
    values.resize(first.first_value);
    patterns.resize(n);
  }

private:
  std::uint32_t add(std::uint64_t hash, const SlotView &s, int entries, PatternValues kind, std::span<const Scalar> value, Local first_row,
                    std::uint32_t streams)
  {
    const auto known = [&](std::int64_t n) {
      return index_.hash(n) == hash && equal(static_cast<std::size_t>(n), s, kind, value) &&
             patterns[static_cast<std::size_t>(n)].streams == streams;
    };
    const auto number = static_cast<std::size_t>(index_.find_or_add(hash, known));
    if (number < size()) return static_cast<std::uint32_t>(number);
    patterns.push_back({static_cast<std::uint32_t>(offsets.size()), static_cast<std::uint32_t>(values.size()), first_row, streams,
                        static_cast<std::uint16_t>(s.slots), static_cast<std::uint16_t>(entries),
                        streamed_entries(s, entries, kind, streams), kind, entries > 0 && entries == Group::rows * s.slots});
    offsets.insert(offsets.end(), s.offset, s.offset + s.slots);
    lanes.insert(lanes.end(), s.lanes, s.lanes + s.slots);
    values.insert(values.end(), value.begin(), value.end());
    return static_cast<std::uint32_t>(number);
  }

  static std::uint16_t streamed_entries(const SlotView &s, int entries, PatternValues kind, std::uint32_t streams)
  {
    if (kind == PatternValues::streamed) return static_cast<std::uint16_t>(entries);
    if (kind != PatternValues::mixed) return 0;
    int n = 0;
    for (int k = 0; k < s.slots; ++k)
      if ((streams >> k & 1) != 0) n += count_lanes(s.lanes[k]);
    return static_cast<std::uint16_t>(n);
  }
  static std::uint64_t hash_of(const SlotView &s, PatternValues kind, std::span<const Scalar> value)
  {
    std::uint64_t hash = kernels::mix(static_cast<std::uint64_t>(s.slots), static_cast<std::uint64_t>(kind));
    for (int k = 0; k < s.slots; ++k) {
      if constexpr (sizeof(Mask) == 1) hash = kernels::mix(hash, std::uint64_t(std::uint32_t(s.offset[k])) << 8 | s.lanes[k]);
      else {
        hash = kernels::mix(hash, std::uint64_t(std::uint32_t(s.offset[k])));
        hash = kernels::mix(hash, static_cast<std::uint64_t>(s.lanes[k]));
        hash = kernels::mix(hash, static_cast<std::uint64_t>(s.lanes[k] >> 64));
      }
    }
    // Four sums that do not wait for each other.
    std::array<std::uint64_t, 4> part{hash, 1, 2, 3};
    for (std::size_t i = 0; i < value.size(); ++i) part[i % 4] = kernels::mix(part[i % 4], value[i]);
    return kernels::mix(kernels::mix(part[0], part[1]), kernels::mix(part[2], part[3]));
  }
  bool equal(std::size_t n, const SlotView &s, PatternValues kind, std::span<const Scalar> value) const
  {
    const Pattern &p    = patterns[n];
    const auto     mine = this->value(p);
    return p.slots == s.slots && p.values == kind && std::equal(s.offset, s.offset + s.slots, offsets.begin() + p.first_slot) &&
           std::equal(s.lanes, s.lanes + s.slots, lanes.begin() + p.first_slot) &&
           std::equal(mine.begin(), mine.end(), value.begin(), value.end(), [](Scalar a, Scalar b) { return kernels::same_bits(a, b); });
  }

  kernels::NumberIndex index_;
};

} // namespace petscspmv::ccoo
