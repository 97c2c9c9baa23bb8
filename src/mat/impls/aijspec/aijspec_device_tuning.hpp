#pragma once

/// \file aijspec_device_tuning.hpp
/// The numbers of the product on a device, and the option about it.

#include "kernels/device/row_block_tuning.hpp"

namespace petscspmv::aijspec {

/// The values of the option `tiling`.
enum class Tiling { automatic, nonzeros, rows };

namespace tuning {

using namespace kernels::tuning;

/// Threads that work on the tiles of a matrix whose entries are all in tiles, entries of a window that a thread holds,
/// and blocks of threads that a multiprocessor holds. What counts is how many entries are in flight at a time, as
/// long as no register is spilled. H200, cold, speed over that of the best of cuSPARSE's CSR and COO, geometric mean of
/// 16 matrices, and microseconds for a circuit and for a 27-point stencil with three unknowns a node: 256 x 7 x 5
/// 1.162, 83, 197; 128 x 7 x 10 1.164, 93, 192; 192 x 8 x 6 1.159, 84, 189; 256 x 6 x 5 1.150, 85, 204. 128 x 8 x 10,
/// which spills four registers: 1.144 over 14 matrices for which 128 x 7 x 10 has 1.195.
inline constexpr int tile_threads = 256, entries_per_thread = 7, tiles_at_a_time = 5;
inline constexpr int tile_entries = tile_threads * entries_per_thread;

/// Percent of a multiprocessor's memory to ask for as shared memory; the rest keeps x near. 28 instead of 38, with as
/// many blocks as there is room for: 0.97 of the speed over 11 matrices; 58: 0.99.
inline constexpr int tile_carveout = 40;

/// The tile_snap of a matrix; see Tile. Where no row is cut, a product need not wait for parts at its end, but what a
/// window has besides its tile is multiplied in vain. H200, microseconds with the longest row's length and with 1,
/// tiles of 1,024: 126 (1.8 M entries) 16.3, 18.2; 145 (2.4 M) 17.8, 19.2; 204 (4.3 M) 22.4, 24.5; 81 (6 M) 27.1, 29.5.
/// Where rows are longer, 64 and 1: R-MAT 20 160, 152; a circuit 96, 92.
constexpr int snap(double nonzeros, double longest_row)
{
  const int most = nonzeros < 5e6 ? 225 : 97;
  return longest_row <= most ? static_cast<int>(longest_row) : 1;
}

/// A tile is dirty if it has more rows than this times its entries: most of them are empty.
inline constexpr int max_rows_per_entry = 2;

/// The rows of a dirty tile are dealt to blocks of threads in pieces of this many.
inline constexpr int dirty_rows_per_block = 256;

/// Blocks of rows are used where so many of the rows are as long as the one before, and their mean length is such.
/// H200, microseconds for blocks of rows and tiles: 27-point 172, 182; 7-point 105, 105; 5-point 83, 79; 27-point with
/// three unknowns a node 194, 188.
inline constexpr double alike_share = 0.75;
constexpr bool          blocks_win(double mean_length)
{
  return mean_length > 10 && mean_length <= 40;
}

/// Consecutive blocks of rows that a block of threads does one after the other, so that the entries of x that
/// neighbours share stay near.
template <int lanes> inline constexpr int row_group = lanes == 1 ? 4 : 1;

/// Parts of a cut row that one thread adds; where there are more, a block of threads does it.
inline constexpr int parts_per_thread = 8;

} // namespace tuning
} // namespace petscspmv::aijspec
