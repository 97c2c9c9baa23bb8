#pragma once

/// \file near_null_space.hpp
/// The QR decomposition of an aggregate's rows of the near null space, as LAPACK's dgeqr2 and dorg2r do it.

#include "impls/aggregation/roots.hpp"

namespace petscspmv::aggregation {

/// Sorts n numbers in place, whatever n is (Williams' heapsort).
template <class Index, class Less> KOKKOS_FUNCTION void sort(Index *list, Index n, const Less &less)
{
  const auto sink = [&](Index k, Index end) {
    for (Index child = 2 * k + 1; child < end; k = child, child = 2 * k + 1) {
      if (child + 1 < end && less(list[child], list[child + 1])) ++child;
      if (!less(list[k], list[child])) return;
      const Index number = list[k];
      list[k]            = list[child];
      list[child]        = number;
    }
  };
  for (Index k = n / 2; k-- > 0;) sink(k, n);
  for (Index end = n - 1; end > 0; --end) {
    const Index number = list[0];
    list[0]            = list[end];
    list[end]          = number;
    sink(0, end);
  }
}

/// The nodes of each aggregate, in the order of its list.
template <class Memory, class Exec, class Index>
Lists<Index> members(const Exec &exec, Room<Memory> &room, const Index *aggregate, const Entering *entering, Index nodes, Index aggregates,
                     bool ascending)
{
  Index *const size = room.template take<Index>(aggregates);
  each(
    exec, aggregates, KOKKOS_LAMBDA(const std::int64_t g) { size[g] = 0; });
  each(
    exec, nodes, KOKKOS_LAMBDA(const std::int64_t v) {
      if (aggregate[v] >= 0) Kokkos::atomic_inc(&size[aggregate[v]]);
    });
  Lists<Index> lists;
  Index *const start = lists.start = room.template take<Index>(aggregates + 1);
  lists.size                       = sum_before(
                          exec, aggregates, start, KOKKOS_LAMBDA(const std::int64_t g) { return size[g]; });
  Index *const member = lists.number = room.template take<Index>(lists.size);
  each(
    exec, nodes, KOKKOS_LAMBDA(const std::int64_t v) { // in any order, and sorted below
      const Index g = aggregate[v];
      if (g >= 0) member[start[g] + Kokkos::atomic_fetch_add(&size[g], Index(-1)) - 1] = static_cast<Index>(v);
    });
  each(
    exec, aggregates, KOKKOS_LAMBDA(const std::int64_t g) {
      sort(member + start[g], start[g + 1] - start[g],
           [&](Index a, Index b) { return ascending || entering[a] == entering[b] ? a < b : entering[a] < entering[b]; });
    });
  return lists;
}

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

  /// Makes the reflection that leaves nothing below the diagonal of column j, and returns its tau. As in LAPACK, the diagonal
  /// gets the sign that it has not, unless there is nothing below it.
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
