#pragma once

/// \file factors.hpp
/// The factors of a product, by blocks, and which of their entries are multiplied.

#include <algorithm>
#include <cstdint>

#include "kernels/kokkos/lists.hpp"

namespace petscspmv::products {

using namespace kernels; // lists

namespace { // see lists.hpp

using HostRoom = Room<Kokkos::HostSpace>;

/// A matrix of dense blocks, which are its nodes. Of blocks of one entry, it is CSR.
template <class Index> struct Blocks {
  Pattern<Index> nodes;
  Index          rows, cols; ///< of a block

  bool are_entries() const { return rows == 1 && cols == 1; }

  /// Where row i of node v begins among the entries.
  std::int64_t row(std::int64_t v, Index i) const
  {
    return (std::int64_t(nodes.row_ptr[v]) * rows + std::int64_t(i) * nodes.size(v)) * cols;
  }
};

/// Whether a matrix consists of dense blocks.
template <class Exec, class Index> bool has_blocks(const Exec &exec, const Pattern<Index> &a, Index a_rows, Index rows, Index cols)
{
  if (rows == 1 && cols == 1) return true;
  if (a_rows % rows != 0) return false;
  return sum_of(exec, a_rows / rows, [=](const std::int64_t v, std::int64_t &faults) {
           const Index        n     = a.size(v * rows);
           const Index *const first = a.col + a.row_ptr[v * rows];
           bool               fits  = n % cols == 0;
           for (Index i = 0; fits && i < rows; ++i) {
             fits = a.size(v * rows + i) == n;
             for (Index k = 0; fits && k < n; ++k)
               fits = first[k - k % cols] % cols == 0 && a.col[a.row_ptr[v * rows + i] + k] == first[k - k % cols] + k % cols;
           }
           faults += !fits;
         }) == 0;
}

/// A matrix by its blocks.
template <class Exec, class Index>
Blocks<Index> by_blocks(const Exec &exec, HostRoom &room, const Pattern<Index> &a, Index a_rows, Index rows, Index cols)
{
  if (rows == 1 && cols == 1) return {a, 1, 1};
  const Index nodes = a_rows / rows;
  auto *const start = room.take<Index>(nodes + 1), *const node = room.take<Index>(a.row_ptr[a_rows] / (rows * cols));
  each(exec, nodes + 1, [=](const std::int64_t v) { start[v] = a.row_ptr[v * rows] / (rows * cols); });
  each(exec, nodes, [=](const std::int64_t v) {
    const Index *const from = a.col + a.row_ptr[v * rows];
    for (Index e = start[v]; e < start[v + 1]; ++e) node[e] = from[(e - start[v]) * cols] / cols;
  });
  return {{start, node}, rows, cols};
}

/// A's columns of nodes: which rows have an entry in them, and which of A's nodes it is.
template <class Index> struct Columns {
  Pattern<Index> rows;
  const Index   *node;
};

template <class Exec, class Index>
Columns<Index> columns_of(const Exec &exec, HostRoom &room, const Pattern<Index> &a, Index rows, Index cols)
{
  const Index nodes = a.row_ptr[rows];
  auto *const row = room.take<Index>(nodes), *const row_of_node = room.take<Index>(nodes);
  each(exec, rows,
       [=](const std::int64_t v) { std::fill(row_of_node + a.row_ptr[v], row_of_node + a.row_ptr[v + 1], static_cast<Index>(v)); });
  const Lists<Index> columns = grouped(exec, room, nodes, cols, a.col, Ascending());
  each(exec, nodes, [=](const std::int64_t t) { row[t] = row_of_node[columns.number[t]]; });
  return {{columns.start, row}, columns.number};
}

} // namespace
} // namespace petscspmv::products
