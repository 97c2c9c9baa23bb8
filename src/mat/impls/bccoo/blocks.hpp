#pragma once

/// \file blocks.hpp
/// Small dense blocks, as a product by them sees them: the shape, and where the columns of a run of blocks are.

#include <cstddef>
#include <cstdint>

#include "kernels/coding/values.hpp"

namespace petscspmv::bccoo {

/// Rows and columns of a block at most.
inline constexpr int longest_side = 8;

struct Shape {
  int  rows = 1, cols = 1;
  bool by_columns = false; ///< in any case: for lanes that have a block each

  [[gnu::always_inline]] constexpr int values() const { return rows * cols; }

  /// True if the values of a block are kept row by row, and else column by column: so that a block is fewest vectors
  /// and loads of x. Along a row, x is one vector for all rows of a block; along a column, it is a number for each
  /// column (block_sums.hpp).
  [[gnu::always_inline]] constexpr bool by_rows() const { return !by_columns && 1 + rows < 2 * cols; }

  [[gnu::always_inline]] constexpr int place(int row, int col) const { return by_rows() ? row * cols + col : col * rows + row; }
  [[gnu::always_inline]] constexpr int row(int place) const { return by_rows() ? place / cols : place % rows; }
  [[gnu::always_inline]] constexpr int col(int place) const { return by_rows() ? place % cols : place / rows; }
};

/// Columns of blocks of w columns, from that of the least one of a run on: 16 bits that count blocks.
template <int w> struct NarrowColumns {
  const std::byte *bits;

  [[gnu::always_inline]] std::size_t operator[](std::size_t b) const
  {
    return std::size_t(kernels::read_as<std::uint16_t>(bits + 2 * b)) * w;
  }
  [[gnu::always_inline]] NarrowColumns operator+(std::size_t b) const { return {bits + 2 * b}; }
};

/// The same: 32 bits that count columns. The last block of a matrix may begin before a multiple of its width.
struct WideColumns {
  const std::byte *bits;

  [[gnu::always_inline]] std::ptrdiff_t operator[](std::size_t b) const { return kernels::read_as<std::int32_t>(bits + 4 * b); }
  [[gnu::always_inline]] WideColumns    operator+(std::size_t b) const { return {bits + 4 * b}; }
};

/// A run of blocks: x at the least of their columns, and the same of the run behind it, whose x is asked for early.
template <class Columns, class Scalar> struct BlockPlaces {
  Columns       columns, later;
  const Scalar *x, *later_x;

  [[gnu::always_inline]] BlockPlaces operator+(std::size_t b) const { return {columns + b, later + b, x, later_x}; }
};

} // namespace petscspmv::bccoo
