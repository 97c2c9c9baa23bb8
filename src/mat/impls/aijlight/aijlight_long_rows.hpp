#pragma once

/// \file aijlight_long_rows.hpp
/// Rows that are too long to be summed at once.

#include <vector>

namespace petscspmv::aijlight {

/// A row with more entries than are summed at once.
template <class Index> struct LongRow {
  Index row;
  Index first_piece; ///< its pieces are first_piece, first_piece + 1, ... up to the next long row's
};

/// The rows that are cut, and into how many pieces.
template <class Index> struct LongRows {
  /// One pass over the row pointer: rows with more than `piece` entries. Throws FormatError if it is not a row pointer.
  LongRows(const Index *row_ptr, Index rows, Index piece);

  Index                       piece  = 0; ///< entries of one
  Index                       pieces = 0;
  std::vector<LongRow<Index>> list;
};

} // namespace petscspmv::aijlight
