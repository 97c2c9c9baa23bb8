#pragma once

/// \file tuning.hpp
/// The numbers of chunks, each with the measurement that chose it.

#include <cstddef>
#include <cstdint>

namespace petscspmv::ccoo::tuning {

// Warps of a block of threads with chunks, and how many a multiprocessor shall hold. An unstructured mesh, a circuit and R-MAT 20: 4 warps and 24 at a time 58.0, 76.3, 153; 28
// 55.1, 74.3, 154; 32, which spills, 55.6, 77.3, 156; 2 warps and 28 54.8, 78.6, 154.
inline constexpr unsigned device_chunk_warps = 4, device_chunk_warps_at_a_time = 28;
// Chunks up to which those that come last add the parts of cut rows; where there are more, a kernel of its own does. An
// R-MAT graph of 16 M entries: 182 us and 154.
inline constexpr unsigned device_few_chunks = 256;
// Rows that end in a chunk, with more of which multiprocessors do not take consecutive chunks: the sums of all its
// warps wait in shared memory.
inline constexpr unsigned device_most_consecutive = 256;
// Parts of a cut row that one thread adds; where there are more, a block of so many threads does, so many parts of each
// on their way together. A circuit whose 20 longest rows have 550 parts each, H200, cold: 76.9 us by a warp for each,
// 69.9 so, 67.6 without these rows.
inline constexpr unsigned device_short_cut    = 4;
inline constexpr int      device_join_threads = 128, device_join_together = 8;
// Columns of which x is kept in shared memory, from so many columns and entries on, where so many of 100 entries have
// such a column; one block of threads, of so many warps, on each multiprocessor, with room for so many sums of each,
// and entries that a lane takes at a time. Columns and sums together are 192 KB: with more, what is left of the
// first-level cache is too small. H200, cold, after a memset, microseconds for R-MAT 20, relabelled, and R-MAT 21
// relabelled (what bounds them: chunk/hot.cuh): without hot columns 149, 126, 141; sixteen entries at a time, no
// sums 116, 99, 120; eight 107, 97, 118; with 64 sums 106, 90, 109, with 128 (208 KB) 131, 113, 143; 20,480 columns and
// 64 sums 109, 91, 111, 128 sums 109, 91, 110. 24 warps, which load the next eight ahead, 112, 88, 112; 32 warps that
// do have not enough registers: 114, 98, 118. R-MAT 17 and 18, of 1.9 M and 3.9 M entries, and both relabelled: without
// 34.3, 54.9, 22.5, 37.0; with 32.3, 39.6, 21.7, 30.1.
inline constexpr std::size_t  device_hot_columns       = 22528;
inline constexpr std::int32_t device_least_hot_x       = 1 << 17;
inline constexpr std::int64_t device_least_hot_entries = 3 << 19, device_hot_percent = 40;
inline constexpr unsigned     device_hot_warps = 32, device_hot_sums = 64;
inline constexpr int          device_hot_together = 8;
// Chunks that keep together in the order in which these warps take them. The same three, each in turn with the others:
// chunks that each warp knows beforehand 108, 93, 112; the next one when it is done, in their own order 108, 89, 108,
// and if its first entries are on their way before x of the hot columns is there 109, 87, 105. R-MAT 20 has most of its
// short rows, which take longest, at the end. Those with more rows first, by powers of two: chunk by chunk 90, 93, 112,
// by 64 together 89, 88, 107, by 256 89, 88, 106, by 1024 89, 88, 106; by 256, those with the most rows first 89, 88,
// 108.
inline constexpr std::size_t device_chunks_in_turn = 256;
// A multiprocessor takes consecutive chunks if there are so many of them, if in a few looks at so many of them together
// each has so many sectors of x (32 bytes) for 100 entries, and if all of them have less than so many sectors for 100
// of these. H200, cold, against chunks as they come: an unstructured mesh of a million nodes in a wide band 55.6 us
// instead of 94.3, in Hilbert's order 51.7 instead of 48.5; a circuit 74.5 instead of 77.2, with parts of long rows by
// columns, from so many parts on. Asking for the next chunk to come to the second-level cache took 4 to 14 us more, and
// 15 to 20 with hot columns.
inline constexpr std::size_t device_least_consecutive = 4096, device_looks = 8, device_chunks_together = 32, device_least_parts = 64;
inline constexpr std::size_t device_scattered_percent = 45, device_common_percent = 60;

} // namespace petscspmv::ccoo::tuning
