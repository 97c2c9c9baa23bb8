#pragma once

/// \file number_index.hpp
/// Finding things by their content that are numbered in the order in which they came: values, and what is kept
/// elsewhere.

#include <algorithm>
#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/coding/float_bits.hpp"

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

/// Mixes the bits of `value` into `hash`, also those of numbers of which only the upper bits are not zero, such as
/// integers.
inline std::uint64_t mix(std::uint64_t hash, std::uint64_t value)
{
  hash = (hash ^ value ^ value >> 32) * 0xff51afd7ed558ccdULL;
  return hash ^ hash >> 32;
}
inline std::uint64_t mix(std::uint64_t hash, double value)
{
  return mix(hash, std::bit_cast<std::uint64_t>(value));
}
inline std::uint64_t mix(std::uint64_t hash, std::complex<double> value)
{
  return mix(mix(hash, value.real()), value.imag());
}

/// Different values, numbered in the order in which they came.
template <class Scalar> class DistinctValues {
public:
  const std::vector<Scalar> &values() const { return values_; }
  std::int64_t               size() const { return std::ssize(values_); }

  /// The number of `value`, or -1.
  std::int64_t find(Scalar value) const { return index_.find(hash(value), is(value)); }

  /// The number of `value`, which is added where it is new.
  std::int64_t add(Scalar value)
  {
    const std::int64_t number = index_.find_or_add(hash(value), is(value));
    if (number == size()) values_.push_back(value);
    return number;
  }

  /// Forgets the values from number n on.
  void cut(std::int64_t n)
  {
    index_.cut(n);
    values_.resize(static_cast<std::size_t>(std::min(n, size())));
  }

private:
  static std::uint64_t hash(Scalar value) { return mix(0, value) >> 20; }
  auto                 is(Scalar value) const
  {
    return [this, value](std::int64_t number) { return same_bits(values_[static_cast<std::size_t>(number)], value); };
  }

  NumberIndex         index_;
  std::vector<Scalar> values_;
};

} // namespace petscspmv::kernels
