#pragma once

/// \file factors.hpp
/// The factors of a product, by blocks, and which of their entries are multiplied.

#include <cstdint>
#include <string>

#include "impls/products/product.hpp"
#include "kernels/kokkos/lists.hpp"

namespace petscspmv::products {

using namespace kernels; // lists

namespace { // see lists.hpp

/// A matrix of dense blocks, which are its nodes. Of blocks of one entry, it is CSR.
template <class Index> struct Blocks {
  Pattern<Index> nodes;
  Index          rows, cols; ///< of a block

  KOKKOS_FUNCTION bool are_entries() const { return rows == 1 && cols == 1; }

  /// Where row i of node v begins among the entries.
  KOKKOS_FUNCTION std::int64_t row(std::int64_t v, Index i) const
  {
    return (std::int64_t(nodes.row_ptr[v]) * rows + std::int64_t(i) * nodes.size(v)) * cols;
  }
};

/// Whether a matrix consists of dense blocks.
template <class Exec, class Index> bool has_blocks(const Exec &exec, const Pattern<Index> &a, Index a_rows, Index rows, Index cols)
{
  if (rows == 1 && cols == 1) return true;
  if (a_rows % rows != 0) return false;
  return sum_of(
           exec, a_rows / rows, KOKKOS_LAMBDA(const std::int64_t v, std::int64_t &faults) {
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

/// A pattern and its rows.
template <class Index> struct Entries {
  Pattern<Index> pattern;
  Index          rows;
};

/// Whether both factors consist of blocks that can be multiplied.
template <class Exec, class Index>
bool blocks_fit(const Exec &exec, ProductKind kind, const Entries<Index> &a, const Entries<Index> &b, const FactorBlocks<Index> &size)
{
  const bool by_rows = kind == ProductKind::atb || size.a_cols == size.b_rows;
  const bool by_cols = kind == ProductKind::ab || size.a_rows == size.b_rows;
  return by_rows && by_cols && has_blocks(exec, a.pattern, a.rows, size.a_rows, size.a_cols) &&
         has_blocks(exec, b.pattern, b.rows, size.b_rows, size.b_cols);
}

/// A matrix of so many entries by its blocks.
template <class Memory, class Exec, class Index>
Blocks<Index> by_blocks(const Exec &exec, Room<Memory> &room, const Pattern<Index> &a, Index a_rows, Index rows, Index cols,
                        std::int64_t nonzeros)
{
  if (rows == 1 && cols == 1) return {a, 1, 1};
  const Index nodes = a_rows / rows;
  auto *const start = room.template take<Index>(nodes + 1), *const node = room.template take<Index>(nonzeros / (rows * cols));
  each(
    exec, nodes + 1, KOKKOS_LAMBDA(const std::int64_t v) { start[v] = a.row_ptr[v * rows] / (rows * cols); });
  each(
    exec, nodes, KOKKOS_LAMBDA(const std::int64_t v) {
      const Index *const from = a.col + a.row_ptr[v * rows];
      for (Index e = start[v]; e < start[v + 1]; ++e) node[e] = from[(e - start[v]) * cols] / cols;
    });
  return {{start, node}, rows, cols};
}

/// Lists of nodes, each of which stands for a row of B, and which together make a row of C.
template <class Index> struct ListsOfRows {
  Pattern<Index>      lists, b;
  Index               n       = 0;       ///< lists
  Index               cols    = 0;       ///< nodes of columns of B
  const std::int64_t *before  = nullptr; ///< [n + 1] products in the lists before
  std::int64_t        total   = 0;       ///< of all products
  std::int64_t        longest = 0;       ///< most products of a list

  /// Of a row of C, at most.
  std::int64_t most_columns() const { return longest < cols ? longest : cols; }
};

/// The products of a list.
template <class Index> struct ProductsOfList {
  Pattern<Index> lists, b;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t v) const
  {
    std::int64_t products = 0;
    for (Index t = lists.row_ptr[v]; t < lists.row_ptr[v + 1]; ++t) products += b.size(lists.col[t]);
    return products;
  }
};

/// Sizes of lists that are known.
template <class Index> struct Counted {
  const Index *size;

  KOKKOS_FUNCTION Index operator()(std::int64_t v) const { return size[v]; }
};

/// The largest of n differences of successive numbers, which do not decrease.
template <class Exec, class Number> std::int64_t largest_step(const Exec &exec, std::int64_t n, const Number *numbers)
{
  return most_of(
    exec, n, KOKKOS_LAMBDA(const std::int64_t v) { return std::int64_t(numbers[v + 1] - numbers[v]); });
}

/// So many products for an entry of the factors may have places, which then take several times the memory of the
/// factors. More are where long rows meet long columns, as in graphs.
inline constexpr std::int64_t most_products = 128;

/// `entries`: nodes of both factors. Throws FormatError if there are too many products.
template <class Memory, class Exec, class Index>
ListsOfRows<Index> lists_of_rows(const Exec &exec, Room<Memory> &room, const Pattern<Index> &lists, Index n, const Pattern<Index> &b,
                                 Index cols, std::int64_t entries)
{
  auto *const        before = room.template take<std::int64_t>(std::int64_t(n) + 1);
  const std::int64_t total  = sum_before(exec, n, before, ProductsOfList<Index>{lists, b});
  if (total > most_products * entries)
    throw FormatError("The product of matrices with " + std::to_string(entries) + " entries (nodes) has " + std::to_string(total) +
                      " products of two, too many to keep the place of each.");
  return {lists, b, n, cols, before, total, largest_step(exec, n, before)};
}

} // namespace
} // namespace petscspmv::products
