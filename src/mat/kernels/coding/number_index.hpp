#pragma once

/// \file number_index.hpp
/// Finding things by their content that are numbered in the order in which they came, and kept elsewhere.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace petscspmv::kernels {

/// Numbers 0, 1, 2, ... by the hash of what they stand for (open addressing, linear probing).
class NumberIndex {
public:
  std::int64_t size() const { return std::ssize(keys_); }

  /// The hash that a number was added with.
  std::uint64_t hash(std::int64_t number) const { return keys_[static_cast<std::size_t>(number)].hash; }

  /// The number for which is(number) is true, or -1. It is asked of numbers whose hashes may differ.
  template <class Is> std::int64_t find(std::uint64_t hash, const Is &is) const { return place_.empty() ? -1 : place_[slot_of(hash, is)]; }

  /// The same; where there is none, size() as it was becomes one of these numbers.
  template <class Is> std::int64_t find_or_add(std::uint64_t hash, const Is &is)
  {
    if (2 * (keys_.size() + 1) > place_.size()) grow();
    const std::size_t slot = slot_of(hash, is);
    if (place_[slot] < 0) {
      place_[slot] = static_cast<std::int32_t>(keys_.size());
      keys_.push_back({hash, slot});
    }
    return place_[slot];
  }

  /// Forgets the numbers from n on.
  void cut(std::int64_t n)
  {
    for (; size() > n; keys_.pop_back()) place_[keys_.back().slot] = -1;
  }

  std::size_t bytes_taken() const { return keys_.capacity() * sizeof(Key) + place_.capacity() * sizeof(place_[0]); }

private:
  struct Key {
    std::uint64_t hash;
    std::size_t   slot;
  };

  template <class Is> std::size_t slot_of(std::uint64_t hash, const Is &is) const
  {
    std::size_t slot = hash & (place_.size() - 1);
    while (place_[slot] >= 0 && !is(std::int64_t(place_[slot]))) slot = (slot + 1) & (place_.size() - 1);
    return slot;
  }
  void grow()
  {
    place_.assign(std::max<std::size_t>(64, 4 * place_.size()), -1);
    for (std::size_t n = 0; n < keys_.size(); ++n) {
      keys_[n].slot         = slot_of(keys_[n].hash, [](std::int64_t) { return false; });
      place_[keys_[n].slot] = static_cast<std::int32_t>(n);
    }
  }

  std::vector<Key>          keys_;  // of each number
  std::vector<std::int32_t> place_; // the number in a slot, or -1
};

} // namespace petscspmv::kernels
