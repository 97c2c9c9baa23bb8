#pragma once

/// \file kernel_levels.hpp
/// Levels of the rows of both triangles, by one kernel: a row waits for the levels of those that it reads, as in a
/// solve.
///
/// A team takes as many consecutive rows of a triangle as it has threads, the next of those that are left. They may
/// read each other. So a thread does not wait by itself: the team goes round, and in each round a thread takes what is
/// there. What is told in solve.hpp shows that no team waits for ever.

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
    const Index size = member.team_size(), pieces = (rows + size - 1) / size;
    for (Index piece = draw(member, drawn); piece < 2 * pieces; piece = draw(member, drawn)) {
      const Side  side = piece % 2 == 0 ? Side::lower : Side::upper;
      const Index k = piece / 2 * size + member.team_rank(), r = side == Side::lower ? k : rows - 1 - k;
      Row         row(*this, side, r, k < rows);
      for (int waiting = 1; waiting > 0;) {
        waiting = row.goes_on(*this);
        member.team_reduce(Kokkos::Max<int>(waiting));
        if (waiting) let_others_go_on();
      }
    }
  }

private:
  static constexpr int ahead  = 4;  ///< loads that are under way together
  static constexpr int seldom = 64; ///< rounds; all look at `excess`, which is in one place

  /// What a thread does.
  struct Row {
    Word  *level; ///< of all rows of the triangle
    Index  row, i, end;
    Word   word[ahead]; ///< levels of entries i, i + 1, ..
    double own    = 0;
    int    rounds = 0;
    bool   is_done;

    KOKKOS_FUNCTION Row(const FindLevels &find, Side side, Index number, bool is_one)
      : level(side == Side::lower ? find.lower : find.upper), row(number), i(is_one ? find.pattern.begin(side, number) : 0),
        end(is_one ? find.pattern.end(side, number) : 0), is_done(!is_one)
    {
      for (Word &w : word) w = not_there;
    }

    /// Takes levels that are there. Returns whether the row still waits.
    KOKKOS_FUNCTION bool goes_on(const FindLevels &find)
    {
      if (is_done) return false;
      Word gone = not_there;
      if (rounds++ % seldom == 0) look_again(find.excess, gone);
      for (; i < end && are_there(find); i += ahead)
        for (Word &w : word) {
          own = Kokkos::fmax(own, number_of<double>(&w) + 1);
          w   = not_there;
        }
      is_done = i >= end || gone != not_there;
      if (i >= end) store_number(level + row, own);
      if (own >= find.most) store_number(find.excess, 1.0);
      return !is_done;
    }

  private:
    /// Looks at those that were not. Behind the last entry it is taken again.
    KOKKOS_FUNCTION bool are_there(const FindLevels &find)
    {
      bool all = true;
      for (int k = 0; k < ahead; ++k) look_again(level + find.pattern.col[i + k < end ? i + k : end - 1], word[k]);
      for (const Word &w : word) all &= w != not_there;
      return all;
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
