#pragma once

/// \file device_tuning.hpp
/// The numbers of a plan for a device.

#include <cstddef>
#include <cstdint>

namespace petscspmv::ccoo {

/// Entries of a chunk on a device: sixteen for each lane of a warp.
inline constexpr std::int64_t device_chunk_entries = 512;

namespace tuning {

// Rows of a tile, at least: 128 nodes of as many rows as there may be.
inline constexpr int device_tile_rows = 6 * 128;
// Rows that a thread looks at together: 128 rows of every size of nodes, in several parts for each of 16 threads.
inline constexpr std::int64_t device_region_rows = std::int64_t(2) * 128 * 60;
// Of a matrix of so many regions, about so many are planned first, and the others look for their groups there.
inline constexpr std::size_t device_least_sampled = 32, device_sampled_regions = 16;
// Mean length of rows from which on nodes pay, and how many times the mean a row may have.
inline constexpr std::uint32_t device_least_nodes = 8, device_most_of_mean = 4;
// Rows of up to so many entries are not cut, which costs half of that in entries read in vain.
inline constexpr std::int64_t device_whole_row = 32;
// The same for a matrix of so many bytes as CSR: any row that fits a chunk, for the parts of a cut row have to be
// written and waited for.
inline constexpr std::int64_t device_small_bytes = 4 << 20, device_whole_row_of_small = device_chunk_entries;
// Chunks that have one coding: 512 entries are too few to tell whether values repeat.
inline constexpr std::int64_t device_chunks_alike = 64;
// Entries of a table of values. In longer ones values take longer to look up than to read.
inline constexpr std::int64_t device_table = 16;

// Entries from which on a matrix is brought to the device while it is analysed: two threads more, and threads that wait
// for memory. H200, 16 cores, an unstructured mesh of 15 M entries and one of 62 M with three unknowns: 6.5 and 18.5 ms
// to bring them, 13 and 14 to look at rows.
inline constexpr std::int64_t device_least_early = 1 << 20;

} // namespace tuning
} // namespace petscspmv::ccoo
