#pragma once

/// \file solve.hpp
/// One sweep: a triangular solve on whatever Kokkos runs on.
///
/// Teams draw slices from a counter, in the order of levels. Each row waits for the values that it reads.
///
/// No team waits for ever. Take the first slice that is not done. A running team has drawn it, or will: a team finishes
/// its slice before it draws the next, and it draws in ascending order. All values that the slice reads belong to
/// earlier slices, which are done. So that team goes on. This holds for any number of running teams, whatever else the
/// device runs. Rows of one slice have one level and do not read each other.

#include <cstdint>

#include "impls/sweeps/sweeps_tuning.hpp"
#include "impls/sweeps/awaited.hpp"

namespace petscspmv::sweeps {

/// A strict triangle of a matrix, and the diagonal. Slots hold the rows, level by level; a slice is some consecutive
/// slots. Entry k of row q of a slice of n rows is at begin + k n + q; all rows have the length of the longest.
template <class S, class Index> struct TriangleView {
  Index               slices;
  const Index        *first;    ///< [slices + 1] slots
  const std::int64_t *begin;    ///< [slices + 1] entries
  const Index        *row;      ///< [rows] of each slot
  const S            *diagonal; ///< [rows] of each slot
  const Index        *slot;     ///< [entries] where x is for it; negative: there is no entry
  const S            *value;    ///< [entries]
  const std::int64_t *others;   ///< [rows + 1] by slots: entries of other blocks; null: there are no blocks
};

/// The x of a row before the sweep.
enum class Start { zero, base_over_diagonal, x };

/// What a row does with the sum over its entries in the triangle. With r = base - sum, it stores r and
///   x = (1 - omega) start + omega (r - other) / (shift + diagonal).
template <class S> struct Step {
  const S *base;  ///< [rows]
  const S *other; ///< [rows] or null
  S       *keep;  ///< [rows] or null: where r goes; may be base, other or x, of which a row reads its own entry alone
  S       *x;     ///< [rows] or null
  Start    start;
  double   omega, shift;
};

/// What a solve writes besides x. Each solve makes the arrays ready for the next.
template <class Index> struct Waiting {
  Word  *x;      ///< [rows] numbers by slots; before the solve: not there
  Word  *next_x; ///< the same for the next solve
  Index *drawn;  ///< slices; before the solve: 0
  Index *next_drawn;
};

/// The sum over entries begin, begin + stride, .. below `end`, in this order. Waits for the x of `ahead` entries
/// together.
template <int ahead, class S, class Index>
KOKKOS_FUNCTION S awaited_sum(const TriangleView<S, Index> &a, std::int64_t begin, std::int64_t end, int stride, const Word *x)
{
  constexpr int n   = words<S>;
  S             sum = 0;
  for (std::int64_t i = begin; i < end; i += std::int64_t(ahead) * stride) {
    Index slot[ahead];
    S     value[ahead];
    Word  word[ahead * n];
    for (int k = 0; k < ahead; ++k) {
      const std::int64_t at = i + std::int64_t(k) * stride;
      slot[k]               = at < end ? a.slot[at] : Index(-1);
      value[k]              = at < end ? a.value[at] : S(0);
    }
    for (int w = 0; w < ahead * n; ++w) word[w] = slot[w / n] < 0 ? 0 : not_there;
    await([&](int w) { return x + (slot[w / n] < 0 ? 0 : std::int64_t(slot[w / n]) * n + w % n); }, word);
    for (int k = 0; k < ahead; ++k) sum += value[k] * number_of<S>(word + k * n);
  }
  return sum;
}

/// The work of a team.
template <int ahead, class S, class Index> struct Solve {
  TriangleView<S, Index> a;
  Step<S>                step;
  Waiting<Index>         waiting;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    for (Index s = draw(member, waiting.drawn); s < a.slices; s = draw(member, waiting.drawn)) {
      const Index        first = a.first[s];
      const int          rows  = static_cast<int>(a.first[s + 1] - first);
      const std::int64_t begin = a.begin[s], end = a.begin[s + 1];
      if (s == 0 && member.team_rank() == 0) *waiting.next_drawn = 0;
      if (rows == 1 && end - begin > tuning::long_row) {
        const Row row(*this, first);
        S         sum = awaited_sum<ahead>(a, begin + member.team_rank(), end, member.team_size(), waiting.x);
        member.team_reduce(Kokkos::Sum<S>(sum));
        if (member.team_rank() == 0) row.finish(*this, sum);
      } else
        for (int q = member.team_rank(); q < rows; q += member.team_size()) {
          const Row row(*this, first + q);
          row.finish(*this, awaited_sum<ahead>(a, begin + q, end, rows, waiting.x));
        }
    }
  }

private:
  /// What a row reads before it waits, so that the loads are under way meanwhile.
  struct Row {
    Index slot, row;
    S     base, other, inverse, start;

    KOKKOS_FUNCTION Row(const Solve &solve, Index number) : slot(number), row(solve.a.row[number])
    {
      const Step<S> &step = solve.step;
      base                = step.base[row];
      other               = step.other ? step.other[row] : S(0);
      inverse             = S(step.omega) / (S(step.shift) + solve.a.diagonal[slot]);
      start               = step.start == Start::x ? step.x[row] : step.start == Start::zero ? S(0) : base * inverse;
    }

    KOKKOS_FUNCTION void finish(const Solve &solve, S sum) const
    {
      const Step<S> &step = solve.step;
      const S        rest = base - sum;
      S              x    = (rest - other) * inverse;
      if (step.start != Start::zero) x += (1 - step.omega) * start;
      const std::int64_t at = std::int64_t(slot) * words<S>;
      store_number(solve.waiting.x + at, x);
      for (int w = 0; w < words<S>; ++w) solve.waiting.next_x[at + w] = not_there;
      if (step.keep) step.keep[row] = rest;
      if (step.x) step.x[row] = x;
    }
  };
};

/// sum = triangle * x, with the x of a guess, which is there.
template <class S, class Index> struct Product {
  TriangleView<S, Index> a;
  const S               *x;
  S                     *sum;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    for (Index s = member.league_rank(); s < a.slices; s += member.league_size()) {
      const Index        first = a.first[s];
      const int          rows  = static_cast<int>(a.first[s + 1] - first);
      const std::int64_t begin = a.begin[s], end = a.begin[s + 1];
      if (rows == 1 && end - begin > tuning::long_row) {
        S part = of_entries(begin + member.team_rank(), end, member.team_size());
        member.team_reduce(Kokkos::Sum<S>(part));
        if (member.team_rank() == 0) sum[a.row[first]] = part + of_others(first);
      } else
        for (int q = member.team_rank(); q < rows; q += member.team_size())
          sum[a.row[first + q]] = of_entries(begin + q, end, rows) + of_others(first + q);
    }
  }

private:
  KOKKOS_FUNCTION S of_others(Index slot) const { return a.others ? of_entries(a.others[slot], a.others[slot + 1], 1) : S(0); }

  KOKKOS_FUNCTION S of_entries(std::int64_t begin, std::int64_t end, int stride) const
  {
    S part = 0;
    for (std::int64_t i = begin; i < end; i += stride)
      if (a.slot[i] >= 0) part += a.value[i] * x[a.row[a.slot[i]]];
    return part;
  }
};

} // namespace petscspmv::sweeps
