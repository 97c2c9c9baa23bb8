#pragma once

/// \file pattern_blocks.hpp
/// A sum over a pattern's array, block by block (core/known_pattern.hpp), for the host and for a device.

#include <array>
#include <cstdint>

#include "kernels/lanes/isa.hpp"

namespace petscspmv::kernels {

/// Numbers of an array that are summed together. A thread of the host sums so many blocks at a time.
inline constexpr int          pattern_block  = 256;
inline constexpr std::int64_t pattern_blocks = 64;

/// Scatters the bits of a number (the end of SplitMix64: Steele, Lea, Flood, OOPSLA 2014).
[[gnu::always_inline]] constexpr std::uint64_t scattered_bits(std::uint64_t z)
{
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// The random number of each place in a block; all are different.
inline constexpr auto pattern_keys = [] {
  std::array<std::uint32_t, pattern_block> keys{};
  for (std::uint32_t i = 0; i < pattern_block; ++i)
    keys[i] = (static_cast<std::uint32_t>(scattered_bits(i + 1)) & ~std::uint32_t{pattern_block - 1}) | i;
  return keys;
}();

/// What a block adds to the sum. `products`: the sum of its numbers times their keys.
[[gnu::always_inline]] constexpr std::uint64_t pattern_term(std::uint64_t products, std::int64_t block)
{
  return scattered_bits(products + (static_cast<std::uint64_t>(block) + 1) * 0x9e3779b97f4a7c15);
}

/// Sums n numbers, the first of which begins block number `block`: by an instruction set, which pattern_isa.cpp has.
template <Isa isa, class Index> std::uint64_t sum_blocks(const Index *numbers, std::int64_t n, std::int64_t block);

/// Sums n numbers that are where Kokkos runs, and waits.
template <class Index> std::uint64_t sum_through_kokkos(const Index *numbers, std::int64_t n);

} // namespace petscspmv::kernels
