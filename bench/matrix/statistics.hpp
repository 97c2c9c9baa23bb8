#pragma once

/// \file statistics.hpp
/// What a record says about a matrix, and the class that reports group it by.

#include "matrix/csr.hpp"

namespace petscspmv::bench {

struct MatrixStatistics {
  Size         size;
  std::int64_t empty_rows    = 0;
  std::int64_t row_min       = 0; ///< nonzeros of the shortest row
  std::int64_t row_max       = 0;
  double       row_mean      = 0;
  double       row_deviation = 0; ///< standard deviation over the rows
  std::int64_t bandwidth     = 0; ///< greatest |i - j|
  double       mean_span     = 0; ///< (last column - first column) of a row, mean over the rows
  double       neighbours    = 0; ///< nonzeros in the column before or after in the same row, mean over the nonzeros (0 to 2)
  double       similarity    = 0; ///< share of nonzeros that have one at most one column away in the next row
  int          block_size    = 1; ///< largest b from 2 to 8 whose b x b blocks are at least `least_block_fill` full, else 1
  double       block_fill    = 1; ///< nonzeros over places in those blocks
  std::int64_t diagonals     = 0; ///< offsets j - i that cover 95 % of the nonzeros, counted up to 65
  std::string  kind;              ///< see matrix_class()
};

/// Below this share of nonzeros in its blocks BSR reads more than CSR: 8 / fill + 4 / (b^2 fill) > 12 bytes at b = 3.
inline constexpr double least_block_fill = 0.7;

MatrixStatistics statistics_of(const CsrMatrix &a);

/// The class by structure alone, so that files and generators are put on the same shelves:
/// "rectangular", "long rows", "blocks", "diagonals", "skewed" or "unstructured".
std::string matrix_class(const MatrixStatistics &s);

} // namespace petscspmv::bench
