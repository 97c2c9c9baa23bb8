#pragma once

/// \file aijspec_device_layout.cuh
/// A matrix on the device as its kernels take it, by value.

#include <cstdint>

#include "impls/aijspec/aijspec_device_tuning.hpp"
#include "kernels/device/row_block.cuh"
#include "kernels/device/scalar.cuh"

namespace petscspmv::aijspec {

/// Consecutive entries that are summed together, and the rows they are from.
///
/// Tile t has a window of at least tile_step + tile_snap - 1 entries, which begins t * tile_step entries after the
/// first tile's, so that windows can be loaded before anything else is known. The tile begins where the first row
/// begins in the window, if that is one of the first tile_snap entries; if there is none, a row is cut at the beginning
/// of the window.
///
///     windows   |-------------0-------------|
///                                       |-------------1-------------|
///     rows      =a=|=b=|c empty|==d=======|=e=|========f========|====g=====
///     tiles     |-----------0-------------|---------1-----------|---2--
template <class Index> struct alignas(4 * sizeof(Index)) Tile {
  Index begin, end;          ///< entries
  Index first_row, last_row; ///< rows first_row .. last_row - 1; the first and the last may be cut
};

/// What a tile leaves of rows that are cut.
template <class Scalar> struct CutRows {
  Scalar head; ///< part of the first row, if that began before the tile and ends in it
  Scalar tail; ///< part of the last row, if that goes on after the tile
};

/// Rows first .. last - 1.
template <class Index> struct RowRange {
  Index first, last;
};

/// A tile is dirty if it has too many rows for its entries: most of them are empty.
template <class Index> __host__ __device__ bool is_dirty(const Tile<Index> &tile)
{
  return tile.last_row - tile.first_row > tuning::max_rows_per_entry * tuning::tile_entries;
}

/// Either all rows are in blocks of consecutive rows, each summed by one block of threads with `lanes` lanes a row, or
/// all entries are in tiles.
template <class S, class Index, class Values> struct DeviceLayout {
  using Scalar = S; ///< the device's scalar

  Index        rows;
  const Index *row_ptr; ///< [rows + 1]
  const Index *col;     ///< [nonzeros]
  Values       val;     ///< [nonzeros]
  Index        nonzeros;

  int      lanes;      ///< lanes a row in a block of rows
  unsigned row_blocks; ///< 0: all entries are in tiles
  int      capacity;   ///< entries of a block of rows that shared memory holds

  int                    tile_step, tile_snap; ///< entries; see Tile
  unsigned               tiles;
  const Tile<Index>     *tile;    ///< [tiles]
  CutRows<Scalar>       *cut;     ///< [tiles] written by every product
  unsigned              *arrived; ///< [tiles] parts in `cut` of the row that is cut first at the end of the tile; 0 between products
  const RowRange<Index> *dirty;   ///< [dirty_ranges] rows of dirty tiles, without those that may be cut
  unsigned               dirty_ranges;

  unsigned row_groups() const
  {
    const int group = lanes == 1 ? tuning::row_group<1> : tuning::row_group<2>;
    return (row_blocks + group - 1) / group;
  }
};

/// What the kernels of a product are given.
template <class Scalar, class Index, class Values> struct Product {
  DeviceLayout<Scalar, Index, Values> a;
  const Scalar                       *x;
  kernels::DeviceRowUpdate<Scalar>    update;
  bool                                conjugate; ///< of the values
};

} // namespace petscspmv::aijspec
