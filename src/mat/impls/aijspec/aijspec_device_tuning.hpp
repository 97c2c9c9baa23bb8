#pragma once

/// \file aijspec_device_tuning.hpp
/// The numbers of the product on a device.

#include "kernels/device_row_block_tuning.hpp"

namespace petscspmv::aijspec::tuning {

using namespace kernels::tuning;

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

/// A tile is dirty if it has more rows than this times its entries: most of them are empty.
inline constexpr int max_rows_per_entry = 2;

/// The rows of a dirty tile are dealt to blocks of threads in pieces of this many.
inline constexpr int dirty_rows_per_block = 256;

/// Consecutive blocks of rows that a block of threads does one after the other, so that the entries of x that neighbours share stay near.
template <int lanes> inline constexpr int row_group = lanes == 1 ? 4 : 1;

/// Parts of a cut row that one thread adds; where there are more, a block of threads does it.
inline constexpr int parts_per_thread = 8;

} // namespace petscspmv::aijspec::tuning
