#pragma once

/// \file blocks.hpp
/// Block compressed sparse rows.

#include "matrix/csr.hpp"

namespace petscspmv::bench {

/// Blocks of b x b, those with a nonzero.
struct Blocks {
  std::vector<Index>  row_ptr{0}; ///< [rows / b + 1]
  std::vector<Index>  col;        ///< [blocks], ascending within a row of blocks
  std::vector<double> val;        ///< [blocks][b][b], rows of a block one after the other
};

/// `values` in the order of the matrix's own; b divides the number of rows.
Blocks to_blocks(const CsrMatrix &a, const std::vector<double> &values, Index b);

} // namespace petscspmv::bench
