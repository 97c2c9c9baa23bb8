#pragma once

/// \file contracted.hpp
/// Aggregates of aggregates: the graph that is left when each aggregate is a node, and the greedy loop through it. It
/// has few nodes, and in ascending order most of them wait for the one before: the loop is the host's.

#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/kokkos/lists.hpp"

namespace petscspmv::aggregation {

using namespace kernels; // lists

namespace { // see lists.hpp

/// The aggregates that the rows of an aggregate's nodes reach.
template <class Index> struct Reached {
  Pattern<Index> members, graph;
  const Index   *aggregate; ///< [nodes]

  /// How many there are at most.
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t g) const
  {
    std::int64_t most = 0;
    for (Index m = members.row_ptr[g]; m < members.row_ptr[g + 1]; ++m) most += graph.size(members.col[m]);
    return most;
  }

  template <class Add> KOKKOS_FUNCTION void operator()(std::int64_t g, const Add &add) const
  {
    for (Index m = members.row_ptr[g]; m < members.row_ptr[g + 1]; ++m)
      for (Index e = graph.row_ptr[members.col[m]]; e < graph.row_ptr[members.col[m] + 1]; ++e) add(aggregate[graph.col[e]]);
  }
};

template <class Memory, class Exec, class Index>
Lists<Index> contracted(const Exec &exec, Room<Memory> &room, const Pattern<Index> &graph, Index nodes, const Index *aggregate,
                        Index aggregates)
{
  const Lists<Index>   members = grouped(exec, room, nodes, aggregates, aggregate, Ascending());
  const Reached<Index> reached{members.pattern(), graph, aggregate};
  return distinct(exec, room, aggregates, room_for<Memory, Exec, Index>(exec, room, aggregates, reached), reached);
}

/// What the loop finds that goes through the nodes of a graph as they ascend: the aggregate of each, or -1, and how
/// many there are.
template <class Index>
std::pair<std::vector<Index>, Index> aggregates_of_loop(const std::vector<Index> &start, const std::vector<Index> &col)
{
  constexpr Index    undecided = -2;
  const std::size_t  n         = start.size() - 1;
  std::vector<Index> aggregate(n, undecided);
  Index              aggregates = 0;
  for (std::size_t v = 0; v < n; ++v) {
    if (aggregate[v] != undecided) continue;
    if (start[v + 1] - start[v] < 2) {
      aggregate[v] = -1;
      continue;
    }
    for (Index e = start[v]; e < start[v + 1]; ++e)
      if (aggregate[col[e]] == undecided) aggregate[col[e]] = aggregates;
    ++aggregates;
  }
  return {aggregate, aggregates};
}

/// Nodes go where their aggregates go.
template <class Exec, class Index> void follow(const Exec &exec, Index nodes, const Index *of_aggregate, Index *aggregate)
{
  each(
    exec, nodes, KOKKOS_LAMBDA(const std::int64_t v) {
      if (aggregate[v] >= 0) aggregate[v] = of_aggregate[aggregate[v]];
    });
}

} // namespace
} // namespace petscspmv::aggregation
