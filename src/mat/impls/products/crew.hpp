#pragma once

/// \file crew.hpp
/// Who works on a row of a product: a thread of a team with its lanes, or where there are few rows, a team.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "impls/products/factors.hpp"
#include "kernels/kokkos/kernel.hpp"

namespace petscspmv::products {

namespace { // see lists.hpp

/// A team cuts a row's list into so many pieces, whatever its threads are: sums of pieces are added in order.
inline constexpr int pieces_of_list = 8;

template <bool by_team> struct Crew {
  /// Of the crew's row.
  template <class Member> static KOKKOS_FUNCTION std::int64_t number(const Member &member)
  {
    return by_team ? member.league_rank() : std::int64_t(member.league_rank()) * member.team_size() + member.team_rank();
  }

  /// n entries for the crew.
  template <class T, class Member> static KOKKOS_FUNCTION T *scratch(const Member &member, int n)
  {
    if constexpr (by_team) return kernels::team_scratch<T>(member, n);
    else return kernels::team_scratch<T>(member, n * member.team_size()) + n * member.team_rank();
  }

  /// work(k) for k = 0 .. n - 1, and then all go on together.
  template <class Member, class Index, class Work> static KOKKOS_FUNCTION void each(const Member &member, Index n, const Work &work)
  {
    if constexpr (by_team) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(member, n), work);
      member.team_barrier();
    } else Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, n), work);
  }

  /// work(t) for t = begin .. end - 1, each by the lanes of a thread, and then all go on together.
  template <class Member, class Index, class Work>
  static KOKKOS_FUNCTION void each_thread(const Member &member, Index begin, Index end, const Work &work)
  {
    if constexpr (!by_team) {
      for (Index t = begin; t < end; ++t) work(t);
    } else {
      for (Index t = begin + member.team_rank(); t < end; t += member.team_size()) work(t);
      member.team_barrier();
    }
  }

  /// work(piece, begin, end, products before) for each piece of a list, by the lanes of a thread, and then all go on
  /// together.
  template <class Member, class Index, class Work>
  static KOKKOS_FUNCTION void each_piece(const Member &member, const Pattern<Index> &lists, const Pattern<Index> &b, std::int64_t v,
                                         const Work &work)
  {
    const Index begin = lists.row_ptr[v], size = lists.row_ptr[v + 1] - begin;
    if constexpr (!by_team) work(0, begin, begin + size, std::int64_t(0));
    else {
      auto *const products = kernels::team_scratch<std::int64_t>(member, pieces_of_list);
      const auto  start    = [=](int piece) { return begin + static_cast<Index>(std::int64_t(size) * piece / pieces_of_list); };
      for (int piece = member.team_rank(); piece < pieces_of_list; piece += member.team_size()) {
        std::int64_t sum = 0;
        Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(member, start(piece + 1) - start(piece)),
          [&](Index k, std::int64_t &own) { own += b.size(lists.col[start(piece) + k]); }, sum);
        products[piece] = sum;
      }
      member.team_barrier();
      for (int piece = member.team_rank(); piece < pieces_of_list; piece += member.team_size()) {
        std::int64_t before = 0;
        for (int other = 0; other < piece; ++other) before += products[other];
        work(piece, start(piece), start(piece + 1), before);
      }
      member.team_barrier();
    }
  }
};

/// Lanes of a thread on a device, and whether rows are those of teams.
struct CrewShape {
  int  lanes   = 1;
  bool by_team = false;
};

/// About as many lanes as rows of B have entries, in the mean: a power of two. Teams have rows that are too few to keep
/// a device busy otherwise; `wanted` (Execution::team): one thread, or more; 0: what suits.
inline CrewShape crew_shape(int wanted, std::int64_t rows, std::int64_t entries_of_b, std::int64_t rows_of_b)
{
  constexpr std::int64_t threads = 1 << 19; // twice those of an H200
  int                    lanes   = 1;
  while (lanes < 32 && std::int64_t(3) * lanes * rows_of_b < 2 * entries_of_b) lanes *= 2;
  return {lanes, wanted > 0 ? wanted > 1 : rows * lanes < threads};
}

/// Calls kernel.operator()<by_team>() for n rows. A crew has so many bytes of scratch memory, and a team `most`, at
/// most: else it has fewer threads.
template <class Exec, class Kernel>
void with_crew(const Exec &exec, std::int64_t n, const CrewShape &shape, std::size_t bytes, std::size_t most, const Kernel &kernel)
{
  constexpr std::size_t aligned = std::size_t(4) * 16 + pieces_of_list * sizeof(std::int64_t); // what each_piece() has, and gaps
  const int             lanes   = is_host_space<Exec> ? 1 : shape.lanes;
  int                   threads = team_size(exec, 0, 128 / lanes);
  if (n == 0) return;
  if (shape.by_team) {
    if (!is_host_space<Exec>) threads = std::min(2 * threads, pieces_of_list);
    Kokkos::parallel_for("petscspmv product", league_of_teams(exec, n, threads, lanes, bytes + aligned),
                         kernel.template operator()<true>());
    return;
  }
  while (threads > 1 && threads * bytes > most) threads /= 2;
  Kokkos::parallel_for("petscspmv product", league_of_teams(exec, (n + threads - 1) / threads, threads, lanes, threads * bytes + aligned),
                       kernel.template operator()<false>());
}

} // namespace
} // namespace petscspmv::products
