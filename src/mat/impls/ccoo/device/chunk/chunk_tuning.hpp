#pragma once

/// \file chunk_tuning.hpp
/// The numbers of chunks, each with the measurement that chose it.

#include <cstddef>
#include <cstdint>

namespace petscspmv::ccoo::tuning {

// Warps of a thread block with chunks, and how many a multiprocessor shall hold. A circuit, H200: 74 us, with 24 at a
// time 76.
inline constexpr unsigned device_chunk_warps = 4, device_chunk_warps_at_a_time = 28;
// Up to so many chunks, the last one of a cut row adds its parts; with more, another kernel does. R-MAT graph of 16 M
// entries: 154 us instead of 182.
inline constexpr unsigned device_few_chunks = 256;
// Parts of a cut row that one thread adds; more are added by a block of so many threads, with so many loads in flight
// each. A circuit with 20 rows of 550 parts: 70 us, by a warp for each row 77.
inline constexpr unsigned device_short_cut    = 4;
inline constexpr int      device_join_threads = 128, device_join_together = 8;

// Hot columns, whose x is kept in shared memory: how many; in matrices of so many columns and entries, where so many of
// 100 entries have such a column. R-MAT 20, H200: 106 us instead of 149. Columns and sums together take 192 KB; with
// 208 KB what is left of the first-level cache is too small (131 us).
inline constexpr std::size_t  device_hot_columns       = 22528;
inline constexpr std::int32_t device_least_hot_x       = 1 << 17;
inline constexpr std::int64_t device_least_hot_entries = 3 << 19, device_hot_percent = 40;
// Warps of their one thread block on each multiprocessor, sums of a warp in shared memory, and entries that a lane
// loads together: sixteen leave too few registers for sums (116 us).
inline constexpr unsigned device_hot_warps = 32, device_hot_sums = 64;
inline constexpr int      device_hot_together = 8;
// Chunks that stay together when those with many rows are taken first. R-MAT 20 relabelled: 88 us, in their own order
// 93.
inline constexpr std::size_t device_chunks_in_turn = 256;

// A multiprocessor takes consecutive chunks if there are so many, if in so many looks at so many of them together each
// needs so many sectors of x (32 bytes) for 100 entries, and all of them less than so many for 100 of these. Mesh of a
// million nodes in a wide band, H200: 56 us instead of 94. Parts of long rows then go by columns, if there are so many.
inline constexpr std::size_t  device_least_consecutive = 4096, device_looks = 8, device_chunks_together = 32, device_least_parts = 64;
inline constexpr std::int64_t device_scattered_percent = 45, device_common_percent = 60;
// They do not where more rows end in a chunk: the sums of all its warps are in shared memory.
inline constexpr unsigned device_most_consecutive = 256;

} // namespace petscspmv::ccoo::tuning
