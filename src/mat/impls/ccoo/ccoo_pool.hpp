#pragma once

/// \file ccoo_pool.hpp
/// The pool of patterns: what groups of rows look like, each kept once.

#include <cstring>
#include <span>
#include <vector>

#include "impls/ccoo/tiles/diagonal.hpp"
#include "kernels/value_tables.hpp"

namespace petscspmv::ccoo {

/// Patterns by their content (open addressing, linear probing).
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
  SlotView slots(const Pattern &p) const { return {p.slots, offsets.data() + p.first_slot, lanes.data() + p.first_slot}; }

  /// The number of the pattern with these slots and these values (one for each slot, or for each entry, or none), which is added where it is
  /// new. `entries` is the number of lanes that all slots have together.
  std::uint32_t add(const SlotView &s, int entries, PatternValues kind, std::span<const Scalar> value, Local first_row)
  {
    if (2 * (size() + 1) > place_.size()) grow();
    const std::uint64_t hash = hash_of(s, kind, value);
    const std::size_t   slot = slot_of(hash, s, kind, value);
    if (place_[slot] >= 0) return static_cast<std::uint32_t>(place_[slot]);
    place_[slot] = static_cast<std::int32_t>(size());
    keys_.push_back({hash, slot});
    patterns.push_back({static_cast<std::uint32_t>(offsets.size()), static_cast<std::uint32_t>(values.size()), first_row,
                        static_cast<std::uint16_t>(s.slots), static_cast<std::uint16_t>(entries), kind, entries == Group::rows * s.slots});
    offsets.insert(offsets.end(), s.offset, s.offset + s.slots);
    lanes.insert(lanes.end(), s.lanes, s.lanes + s.slots);
    values.insert(values.end(), value.begin(), value.end());
    return static_cast<std::uint32_t>(size() - 1);
  }

  /// A pattern of another pool.
  std::uint32_t add(const PatternPool &other, const Pattern &p)
  {
    return add(other.slots(p), p.entries, p.values, other.value(p), p.first_row);
  }

  /// The values that are with a pattern.
  std::span<const Scalar> value(const Pattern &p) const
  {
    const std::size_t n = p.values == PatternValues::by_slot ? p.slots : p.values == PatternValues::packed ? p.entries : 0;
    return {values.data() + p.first_value, n};
  }

  /// Forgets the patterns from number n on.
  void cut(std::size_t n)
  {
    for (; size() > n; patterns.pop_back(), keys_.pop_back()) {
      place_[keys_.back().slot] = -1;
      offsets.resize(patterns.back().first_slot);
      lanes.resize(patterns.back().first_slot);
      values.resize(patterns.back().first_value);
    }
  }

private:
  struct Key {
    std::uint64_t hash;
    std::size_t   slot;
  };

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
    for (const Scalar &v : value) hash = kernels::mix(hash, v);
    return hash;
  }
  bool equal(std::size_t n, const SlotView &s, PatternValues kind, std::span<const Scalar> value) const
  {
    const Pattern &p    = patterns[n];
    const auto     mine = this->value(p);
    return p.slots == s.slots && p.values == kind && std::equal(s.offset, s.offset + s.slots, offsets.begin() + p.first_slot) &&
           std::equal(s.lanes, s.lanes + s.slots, lanes.begin() + p.first_slot) &&
           std::equal(mine.begin(), mine.end(), value.begin(), value.end(), [](Scalar a, Scalar b) { return kernels::same_bits(a, b); });
  }
  std::size_t slot_of(std::uint64_t hash, const SlotView &s, PatternValues kind, std::span<const Scalar> value) const
  {
    std::size_t slot = hash & (place_.size() - 1);
    while (place_[slot] >= 0) {
      const auto n = static_cast<std::size_t>(place_[slot]);
      if (keys_[n].hash == hash && equal(n, s, kind, value)) break;
      slot = (slot + 1) & (place_.size() - 1);
    }
    return slot;
  }
  void grow()
  {
    place_.assign(std::max<std::size_t>(256, 4 * place_.size()), -1);
    for (std::size_t n = 0; n < keys_.size(); ++n) {
      std::size_t slot = keys_[n].hash & (place_.size() - 1);
      while (place_[slot] >= 0) slot = (slot + 1) & (place_.size() - 1);
      keys_[n].slot = slot;
      place_[slot]  = static_cast<std::int32_t>(n);
    }
  }

  std::vector<Key>          keys_;  // of each pattern
  std::vector<std::int32_t> place_; // number of the pattern in a slot, or -1
};

} // namespace petscspmv::ccoo
