#pragma once

/// \file aijspec_layout.hpp
/// A matrix cut into tiles, as the kernels see it: plain views that can be taken by value.

#include <cstddef>
#include <cstdint>

#include "kernels/rows/carry.hpp"
#include "kernels/rows/order.hpp"
#include "kernels/rows/segments.hpp"
#include "kernels/rows/sums.hpp"

namespace petscspmv::aijspec {

using kernels::Order;

/// Entry k of the matrix lies in tile k / tile and in bunch k / bunch. A bunch is the unit that is summed by itself:
/// its tiles follow each other, each handing the sum of its open row to the next (the paper's S tiles of W x T
/// entries), and it leaves the parts of rows that are cut at its ends in a carry. Bunches are dealt to threads in
/// groups of B.
///
///     entries   |----bunch 0----|----bunch 1----|----bunch 2--|      each |---| = tile tile ... tile
///     rows      =a=|=b=|==c===========|=d=|e|=======f=========|
///     carry          0: opens c        1: continues and ends c, opens f     2: continues and ends f
template <class Scalar, class Index> struct Layout {
  Index         all_rows; ///< rows of the matrix
  Index         rows;     ///< rows of row_ptr: all, or those that are not empty
  const Index  *row_ptr;  ///< [rows + 1]
  const Index  *row;      ///< [rows] which row of the matrix each is, ascending; null where row k is row k
  const Index  *col;      ///< [nonzeros]
  const Scalar *val;      ///< [nonzeros]
  Index         nonzeros;

  Order order; ///< the way through a bunch

  Index        nodes;    ///< runs of rows with equal columns; 0 where nothing is known of them
  const Index *node_ptr; ///< [nodes + 1] first row of each node

  int          tile;    ///< entries of a tile, W * T
  std::int64_t bunch;   ///< entries of a bunch, S * tile
  Index        bunches; ///< ceil(nonzeros / bunch)
  Index        group;   ///< bunches of a group, B

  [[gnu::always_inline]] Index bunch_begin(Index b) const { return static_cast<Index>(b * bunch); }
  [[gnu::always_inline]] Index bunch_end(Index b) const { return b + 1 == bunches ? nonzeros : static_cast<Index>((b + 1) * bunch); }
};

/// What one thread needs while it works, and what it reports.
template <class Scalar, class Index> struct alignas(64) Workspace {
  kernels::TileBuffer<Scalar>    buffer;
  kernels::Carry<Scalar, Index> *carry; ///< [bunches] of all threads

  std::int64_t dirty_tiles = 0; ///< tiles whose rows were not where they had been predicted
};

} // namespace petscspmv::aijspec
