#pragma once

/// \file tuning.hpp
/// The numbers of repeated rows, each with the measurement that chose it.

#include <cstddef>
#include <cstdint>

namespace petscspmv::ccoo::tuning {

// Warps of a thread block, one for each 128 rows of a tile; blocks that a multiprocessor shall hold; entries of a row
// in flight. Five materials on 160^3 points with holes, H200: 31.5 us, with tiles of 384 rows 33.0; as streamed units
// 89.
inline constexpr unsigned device_repeated_warps = 6, device_repeated_blocks = 7;
inline constexpr int      device_repeated_together = 7;
// Entries of x that a tile has in shared memory at most; else x is read where it is (36 us).
inline constexpr std::int64_t device_most_repeated_x = 3072;
// Repeated rows are a kind of their own, which takes another launch, in matrices of so many rows, with so many entries
// in the mean, and so many rows of a tile for each different one.
inline constexpr std::int32_t  device_least_repeated_rows = 1 << 14;
inline constexpr std::uint32_t device_least_repeated_mean = 2;
inline constexpr std::size_t   device_least_repetition    = 4;
// With fewer other rows for 100 of these, others become repeated rows, too, as far as they can: 33 us instead of 37.
inline constexpr std::int64_t device_few_others_percent = 10;
// Of a matrix of so many regions, about so many tell beforehand whether nearly all rows repeat.
inline constexpr std::size_t device_least_sampled = 32, device_sampled_regions = 16;

} // namespace petscspmv::ccoo::tuning
