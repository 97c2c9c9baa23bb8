#pragma once

/// \file tuning.hpp
/// The numbers of repeated rows, each with the measurement that chose it.

#include <cstddef>
#include <cstdint>

namespace petscspmv::ccoo::tuning {

// Warps of a block of threads with repeated rows, one for each 128 of a tile, how many such blocks a multiprocessor
// shall hold, entries of a row that are on their way together, and entries of x that a tile has in shared memory at
// most, else x is read where it is. H200, cold, repeated rows of five materials on 160^3 points with holes, up to 2644
// entries of x: 31.5 us; 4 entries together 32.5; tiles of 384 rows and 3 warps 33.0; x where it is 36.9, with 4
// together 35.9, and asked for ahead 34.9; with different rows of the whole matrix in one pool (115,000 among 3.9 M, 12
// MB) 36.5; as streamed units 89. They are bound by accesses to shared memory and the first-level cache (70 % of what
// it can do with x where it is): a number costs two of them for a warp, even if all lanes read the same one.
inline constexpr unsigned     device_repeated_warps = 6, device_repeated_blocks = 7;
inline constexpr int          device_repeated_together = 7;
inline constexpr std::int64_t device_most_repeated_x   = 3072;
// Rows of a matrix from which on repeated ones are a kind of their own, which takes another launch, entries that these
// have in the mean, and how many rows of a tile there must be for each different one: half of the bytes of streamed
// values even if no two tiles have rows in common. Where there are so many other rows for 100 of these, or fewer, they
// become repeated ones, too, as far as they can: five materials on 160^3, 120^3 and 200^3 points 37.5 us and 33.3, 21.2
// and 20.9, 64.0 and 61.2.
inline constexpr std::int32_t  device_least_repeated_rows = 1 << 14;
inline constexpr std::uint32_t device_least_repeated_mean = 2;
inline constexpr std::size_t   device_least_repetition    = 4;
inline constexpr std::int64_t  device_few_others_percent  = 10;
// Of a matrix with so many regions or more, about so many tell beforehand whether nearly all rows repeat: then only
// these are also looked at as other tiles.
inline constexpr std::size_t device_least_sampled = 32, device_sampled_regions = 16;

} // namespace petscspmv::ccoo::tuning
