#pragma once

/// \file near_null_space.hpp
/// The QR decomposition of an aggregate's rows of the near null space, as LAPACK's dgeqr2 and dorg2r do it.

#include "impls/aggregation/roots.hpp"

namespace petscspmv::aggregation {

/// The order of an aggregate's list.
template <class Index> struct InList {
  const Entering *entering;
  bool            ascending;

  KOKKOS_FUNCTION bool operator()(Index a, Index b) const
  {
    return ascending || entering[a] == entering[b] ? a < b : entering[a] < entering[b];
  }
};

/// Rows of an aggregate in an array of all rows, [rows][columns].
template <class Index> struct RowsOfAggregate {
  const Index *node;
  Index        node_rows, rows; ///< of a node, and of the aggregate
  int          columns;
  double      *all;

  KOKKOS_FUNCTION double &at(Index row, int column) const
  {
    return all[(std::int64_t(node[row / node_rows]) * node_rows + row % node_rows) * columns + column];
  }

  /// Applies I - tau v v^T to a column, where v is 1 in row j and what column j has below that.
  KOKKOS_FUNCTION void reflect(int j, double tau, int column) const
  {
    double product = at(j, column);
    for (Index row = j + 1; row < rows; ++row) product += at(row, j) * at(row, column);
    at(j, column) -= tau * product;
    for (Index row = j + 1; row < rows; ++row) at(row, column) -= tau * product * at(row, j);
  }

  /// Makes the reflection that leaves nothing below the diagonal of column j, and returns its tau. As in LAPACK, the
  /// diagonal gets the sign that it has not, unless there is nothing below it.
  KOKKOS_FUNCTION double reflection(int j) const
  {
    double largest = 0, squares = 0; // of its parts, so that no square is too large or too small
    for (Index row = j + 1; row < rows; ++row) largest = Kokkos::fmax(largest, Kokkos::fabs(at(row, j)));
    if (largest == 0) return 0;
    for (Index row = j + 1; row < rows; ++row) squares += (at(row, j) / largest) * (at(row, j) / largest);
    const double alpha = at(j, j), norm = largest * Kokkos::sqrt(squares);
    const double beta = -Kokkos::copysign(Kokkos::hypot(alpha, norm), alpha);
    for (Index row = j + 1; row < rows; ++row) at(row, j) /= alpha - beta;
    at(j, j) = beta;
    return (beta - alpha) / beta;
  }

  /// The rows become Q, and r(row, column, value) gets R. An aggregate of fewer rows than columns has zeros below them.
  template <class Keep> KOKKOS_FUNCTION void decompose(double *tau, const Keep &r) const
  {
    const int steps = rows < columns ? static_cast<int>(rows) : columns;
    for (int j = 0; j < steps; ++j) {
      tau[j] = reflection(j);
      for (int k = j + 1; k < columns; ++k) reflect(j, tau[j], k);
    }
    for (int k = 0; k < columns; ++k)
      for (int j = 0; j < columns; ++j) r(j, k, j <= k && j < steps ? at(j, k) : 0.);
    for (int k = steps; k < columns; ++k)
      for (Index row = 0; row < rows; ++row) at(row, k) = 0;
    for (int j = steps; j-- > 0;) {
      for (int k = j + 1; k < columns; ++k) reflect(j, tau[j], k);
      for (Index row = j + 1; row < rows; ++row) at(row, j) *= -tau[j];
      at(j, j) = 1 - tau[j];
      for (Index row = 0; row < j; ++row) at(row, j) = 0;
    }
  }
};

} // namespace petscspmv::aggregation
