#pragma once

/// \file kernel_levels.hpp
/// Levels of the rows of both triangles, by one kernel: a row waits for the levels of those that it reads, as in a
/// solve.
///
/// A thread takes some consecutive rows of a triangle, and a team those of its threads, the next of those that are left.
/// They may read each other. So a thread does not wait by itself: the team goes round, and in each round a thread takes
/// what is there. What is told in solve.hpp shows that no team waits for ever.

#include <algorithm>
#include <cstdint>

#include "impls/sweeps/analysis_arrays.hpp"
#include "impls/sweeps/awaited.hpp"
#include "kernels/kokkos/lists.hpp"

namespace petscspmv::sweeps::by_kernels {

/// The work of a team.
template <class Index> struct FindLevels {
  PatternView<Index> pattern;
  Index              rows;
  Word              *lower, *upper; ///< [rows] levels, as numbers; before: not there
  Word              *excess;        ///< [1] before: not there; is there once a row has more than `most` levels, and the rest is not found
  Index             *drawn;         ///< before: 0
  double             most;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const Index size = member.team_size(), per_team = size * rows_per_thread, pieces = (rows + per_team - 1) / per_team;
    for (Index piece = draw(member, drawn); piece < 2 * pieces; piece = draw(member, drawn)) {
      const Side  side = piece % 2 == 0 ? Side::lower : Side::upper;
      const Index k = piece / 2 * per_team + member.team_rank() * rows_per_thread, end = Kokkos::min(k + rows_per_thread, rows);
      Rows        own(*this, side, k, end);
      for (int waiting = 1; waiting > 0;) {
        waiting = own.go_on(*this);
        member.team_reduce(Kokkos::Max<int>(waiting));
        if (waiting) let_others_go_on();
      }
    }
  }

private:
  /// In a grid each row reads the one before it, and some of the lines before. With one row a thread, few lines are under
  /// way at a time: 7-point 128^3 takes 8.4 ms on an H200.
  static constexpr Index rows_per_thread = 16;
  static constexpr int   ahead           = 4;  ///< loads that are under way together
  static constexpr int   seldom          = 64; ///< rounds; all look at `excess`, which is in one place

  /// What a thread does.
  struct Rows {
    Word  *level; ///< of all rows of the triangle
    Side   side;
    Index  k, last;     ///< rows in the order of the sweep
    Index  i, end;      ///< entries of row k
    Word   word[ahead]; ///< levels of entries i, i + 1, ..
    double own    = 0;
    int    rounds = 0;

    KOKKOS_FUNCTION Rows(const FindLevels &find, Side of, Index first, Index behind)
      : level(of == Side::lower ? find.lower : find.upper), side(of), k(first), last(behind)
    {
      begin(find);
    }

    /// Takes levels that are there. Returns whether a row still waits.
    KOKKOS_FUNCTION bool go_on(const FindLevels &find)
    {
      Word gone = not_there;
      if (rounds++ % seldom == 0) look_again(find.excess, gone);
      if (gone != not_there) k = last;
      for (; k < last && is_there(find); begin(find)) {
        store_number(level + row(find), own);
        if (own >= find.most) store_number(find.excess, 1.0);
        ++k;
      }
      return k < last;
    }

  private:
    KOKKOS_FUNCTION Index row(const FindLevels &find) const { return side == Side::lower ? k : find.rows - 1 - k; }

    KOKKOS_FUNCTION void begin(const FindLevels &find)
    {
      if (k >= last) return;
      own = 0;
      i   = find.pattern.begin(side, row(find));
      end = find.pattern.end(side, row(find));
      for (Word &w : word) w = not_there;
    }

    /// Whether all levels that row k reads are there; `own` is its level then.
    KOKKOS_FUNCTION bool is_there(const FindLevels &find)
    {
      for (; i < end; i += ahead) {
        bool all = true; // behind the last entry it is taken again
        for (int e = 0; e < ahead; ++e) look_again(level + find.pattern.col[i + e < end ? i + e : end - 1], word[e]);
        for (const Word &w : word) all &= w != not_there;
        if (!all) return false;
        for (Word &w : word) {
          own = Kokkos::fmax(own, number_of<double>(&w) + 1);
          w   = not_there;
        }
      }
      return true;
    }
  };
};

/// The levels of the rows of both triangles.
struct Levels {
  Word        *lower, *upper; ///< [rows]
  std::int64_t most_lower, most_upper;
};

namespace { // see lists.hpp

/// How many levels there are, [rows] of which are found.
template <class Exec> std::int64_t count_levels(const Exec &exec, std::int64_t rows, const Word *level)
{
  return 1 + kernels::most_of(
               exec, rows, KOKKOS_LAMBDA(const std::int64_t r) { return static_cast<std::int64_t>(number_of<double>(level + r)); });
}

/// Of a pattern that has some rows. With more than `most` levels in one triangle it says so, and nothing else is there.
template <class Memory, class Exec, class Index>
Levels find_levels(const Exec &exec, kernels::Room<Memory> &room, Index rows, const PatternView<Index> &p, std::int64_t most)
{
  constexpr int threads_per_team = 2 * tuning::slice_rows;
  room.expect(2 * static_cast<std::size_t>(rows) * sizeof(Word) + 1024);
  Word *const lower = room.template take<Word>(rows), *const upper = room.template take<Word>(rows),
              *const excess = room.template take<Word>(1);
  auto *const        drawn  = room.template take<Index>(1);
  kernels::each(
    exec, rows, KOKKOS_LAMBDA(const std::int64_t r) {
      lower[r] = upper[r] = not_there;
      if (r > 0) return;
      *excess = not_there;
      *drawn  = 0;
    });
  Kokkos::parallel_for("petscspmv levels", teams(exec, rows, threads_per_team),
                       FindLevels<Index>{p, rows, lower, upper, excess, drawn, static_cast<double>(most)});
  const auto too_many = kernels::sum_of(
    exec, 1, KOKKOS_LAMBDA(const std::int64_t, std::int64_t &sum) { sum += *excess != not_there; });
  if (too_many > 0) return {lower, upper, most + 1, most + 1};
  return {lower, upper, count_levels(exec, rows, lower), count_levels(exec, rows, upper)};
}

} // namespace
} // namespace petscspmv::sweeps::by_kernels
