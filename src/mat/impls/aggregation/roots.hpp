#pragma once

/// \file roots.hpp
/// The roots of the greedy loop by rounds, and whose aggregate each node is in.

#include <cstdint>
#include <limits>
#include <utility>

#include "impls/aggregation/graph.hpp"

namespace petscspmv::aggregation {

namespace { // see lists.hpp

/// What has become of a node.
enum class State : char { undecided, root, taken, single };

/// How a node came into its aggregate: those of a lower number are earlier in its list.
enum class Entering : char { root, taken, stolen };

/// Of each node.
template <class Index> struct Owned {
  Index    *root     = nullptr; ///< its own; -1: it is in no aggregate
  Entering *entering = nullptr; ///< for squared graphs
};

/// The nodes of least rank among neighbours: to[v] = least from[u] for u adjacent to v, which is itself, too.
template <class Exec, class Index>
void least_of_neighbours(const Exec &exec, const Pattern<Index> &graph, Index nodes, const Index *from, Index *to)
{
  each(
    exec, nodes, KOKKOS_LAMBDA(const std::int64_t v) {
      Index least = from[v];
      for (Index e = graph.row_ptr[v]; e < graph.row_ptr[v + 1]; ++e) {
        const Index other = from[graph.col[e]];
        least             = other < least ? other : least;
      }
      to[v] = least;
    });
}

/// The states of the loop when it has ended. Roots are more than `distance` edges apart.
template <class Memory, class Exec, class Index>
const State *states(const Exec &exec, Room<Memory> &room, const Pattern<Index> &graph, Index nodes, const Index *rank, int distance)
{
  constexpr Index none  = std::numeric_limits<Index>::max();
  auto *const     state = room.template take<State>(nodes);
  auto           *from = room.template take<Index>(nodes), *to = room.template take<Index>(nodes);
  const auto      spread = [&] { // over the distance
    for (int d = 0; d < distance; ++d, std::swap(from, to)) least_of_neighbours(exec, graph, nodes, from, to);
  };
  each(
    exec, nodes, KOKKOS_LAMBDA(const std::int64_t v) { state[v] = graph.size(v) < 2 ? State::single : State::undecided; });
  for (std::int64_t undecided = 1; undecided > 0;) {
    Index *x = from;
    each(
      exec, nodes, KOKKOS_LAMBDA(const std::int64_t v) { x[v] = state[v] == State::undecided ? rank[v] : none; });
    spread();
    x = from;
    each(
      exec, nodes, KOKKOS_LAMBDA(const std::int64_t v) { // new roots are 0 from now on, and others 1
        const bool is_first = state[v] == State::undecided && x[v] == rank[v];
        if (is_first) state[v] = State::root;
        x[v] = !is_first;
      });
    spread();
    x         = from;
    undecided = sum_of(
      exec, nodes, KOKKOS_LAMBDA(const std::int64_t v, std::int64_t &sum) {
        if (state[v] != State::undecided) return;
        if (x[v] == 0) state[v] = State::taken;
        else ++sum;
      });
  }
  return state;
}

/// The root of each node. It belongs to the first in the loop of those that are near it, but a root that is its
/// neighbour steals it from others.
template <class Memory, class Exec, class Index>
Owned<Index> owners(const Exec &exec, Room<Memory> &room, const Pattern<Index> &graph, Index nodes, const Index *rank, const Index *order,
                    int distance)
{
  constexpr Index    none     = std::numeric_limits<Index>::max();
  const State *const state    = states(exec, room, graph, nodes, rank, distance);
  auto *const        first    = room.template take<Index>(nodes); // rank of the first root among the neighbours
  auto *const        second   = room.template take<Index>(nodes); // and within two edges
  auto *const        root     = room.template take<Index>(nodes);
  auto *const        entering = room.template take<Entering>(nodes);
  each(
    exec, nodes, KOKKOS_LAMBDA(const std::int64_t v) { second[v] = state[v] == State::root ? rank[v] : none; });
  least_of_neighbours(exec, graph, nodes, second, first);
  if (distance > 1) least_of_neighbours(exec, graph, nodes, first, second);
  each(
    exec, nodes, KOKKOS_LAMBDA(const std::int64_t v) {
      const Index within = distance > 1 ? second[v] : first[v], rank_of_root = first[v] != none ? first[v] : within;
      root[v]     = rank_of_root != none ? order[rank_of_root] : Index(-1);
      entering[v] = root[v] == v ? Entering::root : rank_of_root == within ? Entering::taken : Entering::stolen;
    });
  return {root, entering};
}

} // namespace
} // namespace petscspmv::aggregation
