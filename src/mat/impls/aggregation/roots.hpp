#pragma once

/// \file roots.hpp
/// The roots of the greedy loop by rounds, and whose aggregate each node is in.

#include "impls/aggregation/graph.hpp"

namespace petscspmv::aggregation {

/// What has become of a node.
enum class State : char { undecided, root, taken, single };

/// How a node came into its aggregate: those of a lower number are earlier in its list.
enum class Entering : char { root, taken, stolen };

/// Of each node.
template <class Index, class Memory> struct Owned {
  KokkosArray<Index, Memory>    root;     ///< its own; -1: it is in no aggregate
  KokkosArray<Entering, Memory> entering; ///< for squared graphs
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
KokkosArray<State, Memory> states(const Exec &exec, const Pattern<Index> &graph, Index nodes, const Index *rank, int distance)
{
  constexpr Index none = std::numeric_limits<Index>::max();
  const auto      n    = static_cast<std::size_t>(nodes);
  const auto      made = kernels::new_array<State, Memory>(n);
  const auto      some = kernels::new_array<Index, Memory>(n), others = kernels::new_array<Index, Memory>(n);
  State *const    state = made.data();
  Index          *from = some.data(), *to = others.data();
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
  return made;
}

/// The root of each node. It belongs to the first in the loop of those that are near it, but a root that is its neighbour
/// steals it from others.
template <class Memory, class Exec, class Index>
Owned<Index, Memory> owners(const Exec &exec, const Pattern<Index> &graph, Index nodes, const Index *rank, const Index *order, int distance)
{
  constexpr Index            none = std::numeric_limits<Index>::max();
  const auto                 n    = static_cast<std::size_t>(nodes);
  const auto                 made = states<Memory>(exec, graph, nodes, rank, distance);
  const auto                 near = kernels::new_array<Index, Memory>(n), far = kernels::new_array<Index, Memory>(n);
  const Owned<Index, Memory> owned{kernels::new_array<Index, Memory>(n), kernels::new_array<Entering, Memory>(n)};
  const State *const         state    = made.data();
  Index *const               first    = near.data(); // rank of the first root among the neighbours
  Index *const               second   = far.data();  // and within two edges
  Index *const               root     = owned.root.data();
  Entering *const            entering = owned.entering.data();
  each(
    exec, nodes, KOKKOS_LAMBDA(const std::int64_t v) { second[v] = state[v] == State::root ? rank[v] : none; });
  least_of_neighbours(exec, graph, nodes, second, first);
  if (distance > 1) least_of_neighbours(exec, graph, nodes, first, second);
  else Kokkos::deep_copy(exec, far, near);
  each(
    exec, nodes, KOKKOS_LAMBDA(const std::int64_t v) {
      const Index rank_of_root = first[v] != none ? first[v] : second[v];
      root[v]                  = rank_of_root != none ? order[rank_of_root] : Index(-1);
      entering[v]              = root[v] == v ? Entering::root : rank_of_root == second[v] ? Entering::taken : Entering::stolen;
    });
  exec.fence("petscspmv aggregation: owners are found");
  return owned;
}

} // namespace petscspmv::aggregation
