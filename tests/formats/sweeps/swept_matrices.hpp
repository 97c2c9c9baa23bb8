#pragma once

/// \file swept_matrices.hpp
/// Matrices and orders for sweeps.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <vector>

#include "support/csr_matrix.hpp"

namespace petscspmv::test {

/// A pattern made square, with ascending columns and its diagonal.
template <class Scalar, class Index> CsrMatrix<Scalar, Index> swept_pattern(const CsrMatrix<Scalar, Index> &pattern)
{
  CsrMatrix<Scalar, Index> a;
  a.cols = std::max(pattern.rows, pattern.cols);
  for (Index r = 0; r < a.cols; ++r) {
    std::vector<Index> columns{r};
    if (r < pattern.rows)
      columns.insert(columns.end(), pattern.col.begin() + pattern.row_ptr[r], pattern.col.begin() + pattern.row_ptr[r + 1]);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    a.add_row(columns);
  }
  return a;
}

/// 0, 1, .. in no order.
template <class Index> std::vector<Index> shuffled(Index rows)
{
  std::vector<Index> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), Index(0));
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  return order;
}

} // namespace petscspmv::test
