#pragma once

/// \file aijspec_device_tuning.hpp
/// The numbers of the product on a device.

namespace petscspmv::aijspec::tuning {

inline constexpr int block_threads = 128;

/// Entries of a tile for each thread.
inline constexpr int tile_entries_per_thread = 6;

/// Blocks of threads with tiles that a multiprocessor shall be able to hold. Registers are kept so few that they fit.
template <class Scalar> inline constexpr int tile_blocks_at_a_time = sizeof(Scalar) == sizeof(double) ? 16 : 8;

/// Likewise for blocks of rows; 1 leaves the registers to the compiler.
template <class Scalar> inline constexpr int row_blocks_at_a_time = sizeof(Scalar) == sizeof(double) ? 12 : 1;

/// A tile is dirty if it has more rows than this: most of them are empty.
inline constexpr int max_tile_rows = 2 * tile_entries_per_thread * block_threads;

/// The rows of a dirty tile are dealt to blocks of threads in pieces of this many.
inline constexpr int dirty_rows_per_block = 2048;

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
