#pragma once

/// \file graph.hpp
/// What must be true of a graph.

#include <cstdint>
#include <utility>

#include "impls/aggregation/lists.hpp"

namespace petscspmv::aggregation {

namespace { // see lists.hpp

/// How many nodes are not adjacent to themselves, and how many edges have no counterpart. Columns must ascend in each row.
template <class Exec, class Index> std::pair<std::int64_t, std::int64_t> faults(const Exec &exec, const Pattern<Index> &graph, Index nodes)
{
  const auto has = KOKKOS_LAMBDA(std::int64_t row, Index column)
  {
    const Index *const list = graph.col + graph.row_ptr[row];
    const Index        n = graph.size(row), place = place_of(list, n, column);
    return place < n && list[place] == column;
  };
  const auto lonely = sum_of(
    exec, nodes, KOKKOS_LAMBDA(const std::int64_t v, std::int64_t &sum) { sum += !has(v, static_cast<Index>(v)); });
  const auto single = sum_of(
    exec, nodes, KOKKOS_LAMBDA(const std::int64_t v, std::int64_t &sum) {
      for (Index e = graph.row_ptr[v]; e < graph.row_ptr[v + 1]; ++e) sum += !has(graph.col[e], static_cast<Index>(v));
    });
  return {lonely, single};
}

} // namespace
} // namespace petscspmv::aggregation
