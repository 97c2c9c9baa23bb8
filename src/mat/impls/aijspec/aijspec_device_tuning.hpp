#pragma once

/// \file aijspec_device_tuning.hpp
/// The numbers of the product on a device.

namespace petscspmv::aijspec::tuning {

/// Threads of a block with a block of rows. 256: 1 % to 3 % slower on stencils.
inline constexpr int row_threads = 128;

/// How a tile of the matrices whose entries are all in tiles is worked on.
struct TileShape {
  int threads;
  int entries_per_thread;
  int
    at_a_time; ///< blocks that a multiprocessor shall be able to hold; registers are kept so few that they fit (half as many where complex)
  int carveout; ///< percent of a multiprocessor's memory to ask for as shared memory; the rest keeps x near
};

/// For short rows and for longer ones. H200, microseconds for a circuit (7.8 entries a row) and R-MAT 20 (15):
/// 256 x 8 at 40 %: 80, 148; at 28 %: 101, 139; 512 x 4 at 40 %: 82, 142; at 28 %: 91, 133; 128 x 6: 85, 148; 512 x 8: 90, 150.
inline constexpr TileShape short_row_tile{256, 8, 6, 40}, long_row_tile{512, 4, 4, 28};
inline constexpr int       tile_entries = short_row_tile.threads * short_row_tile.entries_per_thread;
static_assert(tile_entries == long_row_tile.threads * long_row_tile.entries_per_thread);

/// Rows are short if they have fewer entries in the mean.
inline constexpr int short_row = 10;

/// The same between blocks of rows, with their number of threads.
inline constexpr int mixed_entries_per_thread = 6;

/// Likewise for blocks of rows; 1 leaves the registers to the compiler.
template <class Scalar> inline constexpr int row_blocks_at_a_time = sizeof(Scalar) == sizeof(double) ? 12 : 1;

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
