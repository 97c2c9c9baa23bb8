#pragma once

/// \file aijspec_device_tuning.hpp
/// The numbers of the product on a device.

namespace petscspmv::aijspec::tuning {

/// Threads of a block with a block of rows. 256: 1 % to 3 % slower on stencils.
inline constexpr int row_threads = 128;

/// The tile where all entries are in tiles: threads, and entries for each of them. H200, microseconds for R-MAT 20 and a circuit:
/// 128 x 6 148, 85; 256 x 6 151, 80; 256 x 8 148, 80; 512 x 4 142, 82; 64 x 6 159, 91.
inline constexpr int tile_threads = 256, tile_entries_per_thread = 8;

/// Blocks of tile_threads that a multiprocessor shall be able to hold. Registers are kept so few that they fit.
template <class Scalar> inline constexpr int tile_blocks_at_a_time = sizeof(Scalar) == sizeof(double) ? 6 : 3;

/// The same between blocks of rows, with their number of threads.
inline constexpr int mixed_entries_per_thread = 6;

/// Likewise for blocks of rows; 1 leaves the registers to the compiler.
template <class Scalar> inline constexpr int row_blocks_at_a_time = sizeof(Scalar) == sizeof(double) ? 12 : 1;

/// Percent of a multiprocessor's memory that is asked for as shared memory where all entries are in tiles. The rest keeps x, which counts
/// where x is used again: R-MAT 20 takes 148 us with 40, 155 with what CUDA chooses (for 128 x 6).
inline constexpr int tile_carveout = 40;

/// A tile is dirty if it has more rows than this times its entries: most of them are empty.
inline constexpr int max_rows_per_entry = 2;

/// The rows of a dirty tile are dealt to blocks of threads in pieces of this many.
inline constexpr int dirty_rows_per_block = 256;

/// Lanes that share a row of a block of rows, by the mean length of rows.
constexpr int row_lanes(double mean_length)
{
  return mean_length <= 10 ? 1 : mean_length <= 40 ? 2 : mean_length <= 64 ? 4 : 8;
}

/// Consecutive blocks of rows that a block of threads does one after the other, so that the entries of x that neighbours share stay near.
template <int lanes> inline constexpr int row_group = lanes == 1 ? 4 : 1;

/// Rows that are longer than this many entries a lane make their block wild.
inline constexpr int max_entries_per_lane = 32;

/// Bytes of shared memory for the entries of a block of rows; blocks that need more are wild. (48 KiB need no permission.)
inline constexpr int max_block_bytes = 40 * 1024;

/// Blocks of rows are used, for those that are not wild, where they have this share of the entries.
inline constexpr double tame_share = 0.9;

/// Parts of a cut row that one thread adds; where there are more, a block of threads does it.
inline constexpr int parts_per_thread = 8;

} // namespace petscspmv::aijspec::tuning
