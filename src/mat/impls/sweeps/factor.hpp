#pragma once

/// \file factor.hpp
/// An incomplete factorisation on whatever Kokkos runs on.

#include "impls/sweeps/incomplete.hpp"
#include "impls/sweeps/triangle.hpp"
#include "impls/sweeps/awaited.hpp"

namespace petscspmv::sweeps {

/// Brings the values of a matrix with any pattern to the entries of the factors' pattern; zeros where it has none.
template <class S, class Index> struct FindEntries {
  PatternView<Index> to;
  const Index       *order;     ///< [rows] the matrix's row for each row of the pattern; null: the same
  bool               symmetric; ///< the matrix's upper triangle is both, in that order
  const Index       *row_ptr, *col;
  const S           *value;
  S                 *entry;

  KOKKOS_FUNCTION void operator()(std::int64_t r) const
  {
    for (Index i = to.row_ptr[r]; i < to.row_ptr[r + 1]; ++i) {
      const Index c = to.col[i];
      entry[i]      = symmetric && c < r ? at(c, static_cast<Index>(r)) : at(static_cast<Index>(r), c);
    }
  }

private:
  KOKKOS_FUNCTION S at(Index r, Index c) const
  {
    const Index row = order ? order[r] : r, column = order ? order[c] : c;
    for (Index i = row_ptr[row]; i < row_ptr[row + 1]; ++i)
      if (col[i] == column) return value[i];
    return 0;
  }
};

/// The work of a team: a row for each of its threads, whose lanes share the entries, the next in the order of levels. A
/// thread eliminates the entries left of the diagonal from the left, and each has to wait for the pivot of the row that
/// it subtracts. Rows of a team may read each other. So a thread does not wait by itself: the team goes round, and in
/// each round a thread takes what is there. What is told in solve.hpp shows that no team waits for ever.
template <class S, class Index> struct Factor {
  PatternView<Index> a;
  Index              rows;
  const Index       *row;   ///< [rows] of each slot of the lower triangle
  S                 *entry; ///< [entries] the matrix; becomes L without its diagonal of ones, and D U
  Word              *pivot; ///< [rows] numbers; before: not there
  Index             *drawn; ///< before: 0
  int               *flaws; ///< [2] set if a pivot does not fit, and if one has no real square root
  PivotRule          rule;
  int                lanes; ///< of a thread

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const Index size = member.team_size(), pieces = (rows + size - 1) / size;
    for (Index piece = draw(member, drawn); piece < pieces; piece = draw(member, drawn)) {
      Row own(*this, piece * size + member.team_rank());
      for (int waiting = 1; waiting > 0;) {
        waiting = go_on(member, own);
        member.team_reduce(Kokkos::Max<int>(waiting));
        if (waiting) let_others_go_on();
      }
    }
  }

private:
  /// What a thread does.
  struct Row {
    Index r    = -1;         ///< negative: there is nothing left to do
    Index next = 0, end = 0; ///< entries: the next to eliminate, and behind the last

    KOKKOS_FUNCTION Row(const Factor &f, Index slot)
    {
      if (slot >= f.rows) return;
      r    = f.row[slot];
      next = f.a.row_ptr[r];
      end  = f.a.row_ptr[r + 1];
    }
  };

  /// Eliminates as far as pivots are there. Returns whether it waits for one.
  template <class Member> KOKKOS_FUNCTION bool go_on(const Member &member, Row &own) const
  {
    if (own.r < 0) return false;
    for (const Index diagonal = a.diagonal[own.r]; own.next < diagonal; ++own.next) {
      Word word[words<S>] = {};
      if (!is_there(member, a.col[own.next], word)) return true;
      eliminate(member, own.next, own.end, number_of<S>(word));
    }
    finish(member, own.r, own.end);
    own.r = -1;
    return false;
  }

  /// Whether the pivot of row k is there for all lanes, and with it the row.
  template <class Member> KOKKOS_FUNCTION bool is_there(const Member &member, Index k, Word (&word)[words<S>]) const
  {
    int missing = 0;
    Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(member, lanes),
      [&](const int, int &sum) {
        for (int w = 0; w < words<S>; ++w) {
          word[w] = not_there;
          look_again(pivot + std::int64_t(k) * words<S> + w, word[w]);
          sum += word[w] == not_there;
        }
      },
      missing);
    if (missing > 0) return false;
    Kokkos::memory_fence(); // no entry of row k is read before
    return true;
  }

  /// Subtracts from the rest of a row, which ends at `end`, the row k with this pivot that entry i is to vanish by.
  template <class Member> KOKKOS_FUNCTION void eliminate(const Member &member, Index i, Index end, S pivot_of_k) const
  {
    const Index k      = a.col[i];
    const S     factor = entry[i] / pivot_of_k;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, a.diagonal[k] + 1, a.row_ptr[k + 1]), [&](const Index j) {
      const Index at = first_not_before(a.col[j], i + 1, end);
      if (at < end && a.col[at] == a.col[j]) entry[at] -= factor * entry[j];
    });
    Kokkos::single(Kokkos::PerThread(member), [&] { entry[i] = factor; }); // all have read it
  }

  /// Looks at row r, which ends at `end`, and stores its pivot.
  template <class Member> KOKKOS_FUNCTION void finish(const Member &member, Index r, Index end) const
  {
    const Index diagonal = a.diagonal[r];
    double      others   = 0;
    Kokkos::parallel_reduce(
      Kokkos::ThreadVectorRange(member, a.row_ptr[r], end),
      [&](const Index i, double &sum) { sum += i == diagonal ? 0 : Kokkos::abs(entry[i]); }, others);
    Kokkos::single(Kokkos::PerThread(member), [&] {
      Kokkos::memory_fence(); // what all lanes have written is there before the pivot
      if (!fits(entry[diagonal], others)) flaws[0] = 1;
      if (!has_root(entry[diagonal])) flaws[1] = 1;
      store_number(pivot + std::int64_t(r) * words<S>, entry[diagonal]);
    });
  }

  KOKKOS_FUNCTION Index first_not_before(Index column, Index from, Index to) const
  {
    while (from < to) {
      const Index middle = from + (to - from) / 2;
      if (a.col[middle] < column) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  KOKKOS_FUNCTION bool fits(S number, double others) const
  {
    const double size = rule.positive ? real(number) : Kokkos::abs(number);
    return size > rule.least * (rule.relative ? others : 1);
  }
  KOKKOS_FUNCTION static bool   has_root(S number) { return real(number) >= 0 && S(real(number)) == number; }
  KOKKOS_FUNCTION static double real(double number) { return number; }
  KOKKOS_FUNCTION static double real(Kokkos::complex<double> number) { return number.real(); }
};

/// x *= 1 / sqrt(D), or b * sqrt(D) to x.
template <class S, class Index> struct ScaleByRoot {
  const Index *diagonal, *vector_row; ///< [rows] of the pattern; vector_row: of from and to, null: the same
  const S     *entry, *from;
  S           *to;
  bool         inverse;

  KOKKOS_FUNCTION void operator()(std::int64_t r) const
  {
    const S            root = Kokkos::sqrt(entry[diagonal[r]]);
    const std::int64_t at   = vector_row ? vector_row[r] : r;
    to[at]                  = inverse ? from[at] / root : from[at] * root;
  }
};

} // namespace petscspmv::sweeps
