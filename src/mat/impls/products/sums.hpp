#pragma once

/// \file sums.hpp
/// The values of a product of two matrices by crews (crew.hpp): entries of A times rows of B, one after the other,
/// whose entries the lanes of a thread share. Each place of the row is added to in A's order, or in that of pieces of
/// A's row.

#include <cstdint>

#include "impls/products/crew.hpp"

namespace petscspmv::products {

namespace { // see lists.hpp

/// Entries of A that rows of B are multiplied by, for each list: rows of A, or its columns.
template <class Index> struct Multipliers {
  Pattern<Index> lists;
  Blocks<Index>  a;
  const Index   *node = nullptr; ///< [lists] which of A's nodes; null: the lists are A's rows

  /// Rows of C for a list, and rows of B for a node.
  KOKKOS_FUNCTION Index outer() const { return node ? a.cols : a.rows; }
  KOKKOS_FUNCTION Index inner() const { return node ? a.rows : a.cols; }

  /// Where the entry is, for place t of list v.
  KOKKOS_FUNCTION std::int64_t place(std::int64_t v, Index t, Index o, Index i) const
  {
    const Index entry = node ? node[t] : t;
    if (a.are_entries()) return entry;
    const std::int64_t row = node ? std::int64_t(lists.col[t]) : v;
    return a.row(row, node ? i : o) + std::int64_t(entry - a.nodes.row_ptr[row]) * a.cols + (node ? o : i);
  }
};

/// Row by row of C, which is a crew's. `scalars`: blocks of B have a column.
template <bool scalars, bool by_team, class S, class Index, class Place> struct SumRows {
  Multipliers<Index>  by;
  Blocks<Index>       b, c;
  const std::int64_t *before;
  const Place        *places;  ///< of each product in its row
  std::int64_t        n;       ///< rows of C
  Index               longest; ///< entries of a row, for which there is scratch memory; 0: there is none
  const S            *a_value, *b_value;
  S                  *c_value;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    S *const           own = Crew<by_team>::template scratch<S>(member, (by_team ? pieces_of_list : 1) * longest);
    const std::int64_t row = Crew<by_team>::number(member);
    if (row >= n) return;
    const auto         o    = static_cast<Index>(row % c.rows);
    const std::int64_t v    = row / c.rows;
    const Index        size = c.nodes.size(v) * (scalars ? 1 : b.cols);
    S *const           to   = c_value + c.row(v, o);
    Crew<by_team>::each_piece(member, by.lists, b.nodes, v, [&](int piece, Index begin, Index end, std::int64_t products) {
      S *const sums = longest ? own + piece * longest : to;
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, size), [&](Index k) { sums[k] = S(0); });
      add(member, v, o, begin, end, places + before[v] + products, sums);
    });
    if (longest)
      Crew<by_team>::each(member, size, [&](Index k) {
        S sum = own[k];
        for (int piece = 1; by_team && piece < pieces_of_list; ++piece) sum += own[piece * longest + k];
        to[k] = sum;
      });
  }

private:
  template <class Member>
  KOKKOS_FUNCTION void add(const Member &member, std::int64_t v, Index o, Index begin, Index end, const Place *place, S *sums) const
  {
    const Index cols = scalars ? 1 : b.cols;
    for (Index t = begin; t < end; ++t) {
      const Index u = by.lists.col[t], nodes = b.nodes.size(u);
      for (Index i = 0; i < by.inner(); ++i) {
        const S        factor  = a_value[by.place(v, t, o, i)];
        const S *const entries = b_value + b.row(u, i);
        Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, nodes * cols),
                             [&](Index k) { sums[place[k / cols] * cols + k % cols] += factor * entries[k]; });
      }
      place += nodes;
    }
  }
};

} // namespace
} // namespace petscspmv::products
