#pragma once

/// \file aijlight_layout.hpp
/// A matrix whose rows are dealt in tickets, as the kernels see it: plain views that can be taken by value.

#include <cstdint>

#include "impls/aijlight/aijlight_long_rows.hpp"
#include "kernels/rows/order.hpp"

namespace petscspmv::aijlight {

using kernels::Order;

/// Tickets 0 .. pieces - 1 are the pieces of long rows, so that these are begun first; then come equal numbers of rows.
///
///     rows      =a=|=b=|================c================|=d=|e|
///     tickets          |--- 0 ---|--- 1 ---|--- 2 ---|-3-|
///               |-- 4 --|----------------- 5 ----------------|-6    two rows each, without the long ones
///
/// A piece leaves its sum in an array of the product; when all are there, those of a row are added in their order.
template <class Scalar, class Index> struct Layout {
  Index         rows;
  Index         nonzeros;
  const Index  *row_ptr; ///< [rows + 1]
  const Index  *col;     ///< [nonzeros]
  const Scalar *val;     ///< [nonzeros]

  Index        nodes;    ///< runs of rows with equal columns; 0 where nothing is known of them
  const Index *node_ptr; ///< [nodes + 1] first row of each node

  Order                 order;  ///< how rows are summed
  Index                 ticket; ///< rows of a ticket
  Index                 piece;  ///< entries of a piece; longer rows are long
  Index                 pieces;
  Index                 long_rows;
  const LongRow<Index> *long_row; ///< [long_rows] ascending

  std::int64_t tickets() const { return std::int64_t(pieces) + (std::int64_t(rows) + ticket - 1) / ticket; }
};

} // namespace petscspmv::aijlight
