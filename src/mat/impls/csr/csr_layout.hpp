#pragma once

/// \file csr_layout.hpp
/// A matrix and how it is dealt, as the kernels see it: plain views that can be taken by value.

#include <cstddef>
#include <cstdint>

#include "impls/csr/csr.hpp"
#include "kernels/rows/carry.hpp"
#include "impls/csr/csr_order.hpp"

namespace petscspmv::csr {

/// A row with more entries than are summed at once.
template <class Index> struct LongRow {
  Index row;
  Index first_piece; ///< its pieces are first_piece, first_piece + 1, ... up to the next long row's
};

/// **Parts.** Entry k of the matrix lies in tile k / tile and in bunch k / bunch. A bunch is the unit that is summed by
/// itself: its tiles follow each other, each handing the sum of its open row to the next (the paper's S tiles of W x T
/// entries), and it leaves the parts of rows that are cut at its ends in a carry. Bunches are dealt to threads in
/// groups of B.
///
///     entries   |----bunch 0----|----bunch 1----|----bunch 2--|      each |---| = tile tile ... tile
///     rows      =a=|=b=|==c===========|=d=|e|=======f=========|
///     carry          0: opens c        1: continues and ends c, opens f     2: continues and ends f
///
/// **Tickets.** Tickets 0 .. pieces - 1 are the pieces of long rows, so that these are begun first; then come equal
/// numbers of rows.
///
///     rows      =a=|=b=|================c================|=d=|e|
///     tickets          |--- 0 ---|--- 1 ---|--- 2 ---|-3-|
///               |-- 4 --|----------------- 5 ----------------|-6    two rows each, without the long ones
///
/// A piece leaves its sum in an array of the product; when all are there, those of a row are added in their order.
template <class Scalar, class Index> struct Layout {
  Index         all_rows; ///< rows of the matrix
  Index         rows;     ///< rows of row_ptr: all, or those that are not empty
  const Index  *row_ptr;  ///< [rows + 1]
  const Index  *row;      ///< [rows] which row of the matrix each is, ascending; null where row k is row k
  const Index  *col;      ///< [nonzeros]
  const Scalar *val;      ///< [nonzeros]
  Index         nonzeros;
  Index         nodes;    ///< runs of rows with equal columns; 0 where nothing is known of them
  const Index  *node_ptr; ///< [nodes + 1] first row of each node

  Schedule schedule;
  Order    order; ///< the way through a bunch or a ticket

  int          tile;    ///< entries of a tile, W * T
  std::int64_t bunch;   ///< entries of a bunch, S * tile
  Index        bunches; ///< ceil(nonzeros / bunch)
  Index        group;   ///< bunches of a group, B

  Index                 ticket; ///< rows of a ticket
  Index                 piece;  ///< entries of a piece; longer rows are long
  Index                 pieces;
  Index                 long_rows;
  const LongRow<Index> *long_row; ///< [long_rows] ascending

  /// What a thread gets at least: groups of bunches, or tickets.
  std::int64_t shares() const
  {
    if (schedule == Schedule::parts) return (std::int64_t(bunches) + group - 1) / group;
    return std::int64_t(pieces) + (std::int64_t(rows) + ticket - 1) / ticket;
  }

  [[gnu::always_inline]] Index bunch_begin(Index b) const { return static_cast<Index>(b * bunch); }
  [[gnu::always_inline]] Index bunch_end(Index b) const { return b + 1 == bunches ? nonzeros : static_cast<Index>((b + 1) * bunch); }
};

/// What a product writes besides y.
template <class Scalar, class Index> struct PartialSums {
  kernels::Carry<Scalar, Index> *carry;           ///< [bunches]
  Scalar                        *piece_sum;       ///< [pieces] of long rows
  std::int64_t                   dirty_tiles = 0; ///< tiles whose rows were not where they had been predicted
};

} // namespace petscspmv::csr
