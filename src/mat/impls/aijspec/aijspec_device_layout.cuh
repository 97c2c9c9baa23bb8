#pragma once

/// \file aijspec_device_layout.cuh
/// A matrix on the device as its kernels take it, by value.

#include <cstdint>

#include "impls/aijspec/aijspec_device_tuning.hpp"
#include "kernels/device_scalar.cuh"

namespace petscspmv::aijspec {

/// Consecutive entries that are summed together, and the rows they are from.
///
/// Tile t has a window of at least tile_step + tile_snap - 1 entries, which begins t * tile_step entries after the first tile's, so that windows can be loaded
/// before anything else is known. The tile begins where the first row begins in the window, if that is one of the first tile_snap entries; if
/// there is none, a row is cut at the beginning of the window.
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

/// Entries that are cut into tiles by themselves: rows first_row .. last_row - 1.
template <class Index> struct Range {
  Index first_tile;
  Index begin, end; ///< entries
  Index first_row, last_row;
};

/// Every row belongs to a block of rows (rows_per_block() consecutive rows), and every block of rows is either tame, and summed by one
/// block of threads with `lanes` lanes a row, or wild, and then its entries are in tiles. Either kind may be missing altogether.
template <class S, class Index> struct DeviceLayout {
  using Scalar = S; ///< the device's scalar

  Index         rows;
  Index         nonzeros;
  const Index  *row_ptr; ///< [rows + 1]
  const Index  *col;     ///< [nonzeros], and room for wide loads behind
  const Scalar *val;     ///< [nonzeros], likewise

  int                 lanes;      ///< lanes a row in a block of rows
  unsigned            row_blocks; ///< 0: all rows are in tiles
  const std::uint8_t *wild;       ///< [row_blocks] true where the rows are in tiles; null if none is
  int                 capacity;   ///< entries that shared memory holds

  int                    tile_step, tile_snap; ///< entries; see Tile
  unsigned               tiles;
  const Tile<Index>     *tile;       ///< [tiles]
  CutRows<Scalar>       *cut;        ///< [tiles] written by every product
  unsigned              *arrived;    ///< [tiles] how many parts lie in `cut` of the row that is cut at the end of the tile; 0 between products
  unsigned               tile_ratio; ///< tiles / (tiles + row_groups()), as a fraction of 2^32, rounded up
  const RowRange<Index> *dirty;      ///< [dirty_ranges] rows of dirty tiles, without those that may be cut
  unsigned               dirty_ranges;

  unsigned row_groups() const
  {
    const int group = lanes == 1 ? tuning::row_group<1> : tuning::row_group<2>;
    return (row_blocks + group - 1) / group;
  }
};

/// What the kernels of a product are given.
template <class Scalar, class Index> struct Product {
  DeviceLayout<Scalar, Index>      a;
  const Scalar                    *x;
  kernels::DeviceRowUpdate<Scalar> update;
  bool                             conjugate; ///< of the values
};

} // namespace petscspmv::aijspec
