#pragma once

/// \file graph.hpp
/// The graph of a matrix: which nodes are adjacent, and what must be true of that.

#include <cstdint>
#include <string>
#include <utility>

#include "kernels/kokkos/lists.hpp"

namespace petscspmv::aggregation {

using namespace kernels; // lists

namespace { // see lists.hpp

/// How many nodes are not adjacent to themselves, and how many edges have no counterpart. Columns must ascend in each
/// row.
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

/// What faults() has found, in words; empty: nothing.
inline std::string problem_of(std::pair<std::int64_t, std::int64_t> found)
{
  if (found.first > 0) return std::to_string(found.first) + " nodes have no diagonal entry";
  return found.second > 0 ? std::to_string(found.second) + " entries have no counterpart in the other triangle" : "";
}

/// The neighbours of a node in a graph or its transpose, ascending.
template <class Index> struct NeighboursOfBoth {
  Pattern<Index> graph, transpose; ///< the transpose has places of entries in the graph, column by column
  Index          nodes;

  template <class Add> KOKKOS_FUNCTION void operator()(std::int64_t v, const Add &add) const
  {
    const auto  neighbour = [&](Index k) { return place_of(graph.row_ptr, nodes + 1, transpose.col[k] + 1) - 1; }; // the row of the entry
    Index       k         = transpose.row_ptr[v];
    const Index end       = transpose.row_ptr[v + 1];
    for (Index e = graph.row_ptr[v]; e < graph.row_ptr[v + 1]; ++e) {
      for (; k < end && neighbour(k) < graph.col[e]; ++k) add(neighbour(k));
      add(graph.col[e]);
    }
    for (; k < end; ++k) add(neighbour(k));
  }
};

/// The edges of a graph and those of its transpose.
template <class Memory, class Exec, class Index>
Lists<Index> with_transpose(const Exec &exec, Room<Memory> &room, const Lists<Index> &graph, Index nodes)
{
  const Pattern<Index> own       = graph.pattern();
  const Pattern<Index> transpose = grouped(exec, room, graph.size, nodes, own.col, Ascending()).pattern();
  const Lists<Index>   most      = room_for<Memory, Exec, Index>(
    exec, room, nodes, KOKKOS_LAMBDA(const std::int64_t v) { return std::int64_t(own.size(v)) + transpose.size(v); });
  return distinct(exec, room, nodes, most, NeighboursOfBoth<Index>{own, transpose, nodes});
}

/// How strong an edge is.
template <class S, class Index> struct Weight {
  Pattern<Index> a;
  const S       *val;
  Index          node_rows;
  bool           symmetrised;
  const double  *scale; ///< [nodes]

  KOKKOS_FUNCTION double of_entry(Index e) const { return node_rows == 1 ? Kokkos::abs(val[e]) : Kokkos::fabs(Kokkos::real(val[e])); }

  /// What the rows of a node have in the columns of another, row by row: the order in which PETSc adds them.
  KOKKOS_FUNCTION double of_rows(Index from, Index to) const
  {
    double sum = 0;
    for (Index r = from * node_rows; r < (from + 1) * node_rows; ++r) {
      const Index *const list = a.col + a.row_ptr[r];
      const Index        n    = a.size(r);
      for (Index k = place_of(list, n, to * node_rows); k < n && list[k] < (to + 1) * node_rows; ++k) sum += of_entry(a.row_ptr[r] + k);
    }
    return sum;
  }

  /// The weight of an edge whose own rows have that much, without the scaling.
  KOKKOS_FUNCTION double unscaled(Index node, Index other, double own) const { return symmetrised ? own + of_rows(other, node) : own; }
};

/// The neighbours of a node to which an edge is stronger than the threshold.
template <class S, class Index> struct StrongNeighbours {
  Pattern<Index>   graph;
  Weight<S, Index> weight;
  double           threshold;

  template <class Add> KOKKOS_FUNCTION void operator()(std::int64_t v, const Add &add) const
  {
    const auto node = static_cast<Index>(v);
    for (Index e = graph.row_ptr[v]; e < graph.row_ptr[v + 1]; ++e) {
      const Index  other = graph.col[e];
      const double own   = graph.col == weight.a.col ? weight.of_entry(e) : weight.of_rows(node, other);
      if (weight.unscaled(node, other, own) * weight.scale[node] * weight.scale[other] > threshold) add(other);
    }
  }
};

/// The graph without edges that are not stronger than the threshold. `scale` of the weight is made here.
template <class Memory, class Exec, class S, class Index>
Lists<Index> with_strong_edges(const Exec &exec, Room<Memory> &room, const Lists<Index> &graph, Index nodes, Weight<S, Index> weight,
                               double threshold)
{
  auto *const scale = room.template take<double>(nodes);
  each(
    exec, nodes, KOKKOS_LAMBDA(const std::int64_t v) {
      const auto own = static_cast<Index>(v);
      scale[v]       = Kokkos::sqrt(1 / weight.unscaled(own, own, weight.of_rows(own, own))); // in PETSc's order, as above
    });
  weight.scale = scale;
  return distinct(exec, room, nodes, Lists<Index>{graph.start, room.template take<Index>(graph.size), graph.size},
                  StrongNeighbours<S, Index>{graph.pattern(), weight, threshold});
}

} // namespace
} // namespace petscspmv::aggregation
