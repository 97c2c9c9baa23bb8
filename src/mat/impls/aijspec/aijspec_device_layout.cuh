#pragma once

/// \file aijspec_device_layout.cuh
/// A matrix on the device as its kernels take it, by value.

#include <cstdint>

#include "impls/aijspec/aijspec_device_tuning.hpp"
#include "kernels/device_scalar.cuh"

namespace petscspmv::aijspec {

/// Consecutive entries, summed by one block of threads.
///
/// The rows are those whose entries or whose emptiness the tile is responsible for: from the row of its first entry to the row of
/// the first entry after it, which may begin there and then has no entry in the tile. Both ends may be cut.
///
///     entries   |---------tile 0---------|---------tile 1---------|
///     rows      =a=|=b=|c empty|==d===========|=e=|=======f==========
///     first_row    a                d                  end of tile 1's rows: f + 1
template <class Index> struct alignas(4 * sizeof(Index)) Tile {
  Index begin, end;          ///< entries
  Index first_row, last_row; ///< rows first_row .. last_row - 1
};

/// What a tile leaves for the rows that are cut at its ends.
template <class Scalar> struct CutRows {
  Scalar head; ///< part of the first row, if that began before the tile and ends in it
  Scalar tail; ///< part of the last row with entries in the tile, if that goes on after it
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

  int                    tile_entries; ///< of a full tile
  unsigned               tiles;
  const Tile<Index>     *tile;       ///< [tiles]
  CutRows<Scalar>       *cut;        ///< [tiles] written by every product
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
