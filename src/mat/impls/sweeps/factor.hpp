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

/// The work of a team: a row at a time, in the order of levels. It eliminates the row's entries left of the diagonal from the
/// left, and waits for the pivot of the row that it subtracts. That no team waits for ever is told in solve.hpp.
template <class S, class Index> struct Factor {
  PatternView<Index> a;
  Index              rows;
  const Index       *row;   ///< [rows] of each slot of the lower triangle
  S                 *entry; ///< [entries] the matrix; becomes L without its diagonal of ones, and D U
  Word              *pivot; ///< [rows] numbers; before: not there
  Index             *drawn; ///< slots; before: 0
  int               *flaws; ///< [2] set if a pivot does not fit, and if one has no real square root
  PivotRule          rule;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    for (Index s = draw(member, drawn); s < rows; s = draw(member, drawn)) {
      const Index r = row[s], diagonal = a.diagonal[r];
      for (Index i = a.row_ptr[r]; i < diagonal; ++i) eliminate(member, i, a.row_ptr[r + 1]);
      double others = 0;
      for (Index i = a.row_ptr[r] + member.team_rank(); i < a.row_ptr[r + 1]; i += member.team_size())
        if (i != diagonal) others += Kokkos::abs(entry[i]);
      member.team_reduce(Kokkos::Sum<double>(others));
      member.team_barrier();
      if (member.team_rank() > 0) continue;
      Kokkos::memory_fence(); // what the team has written is there before the pivot
      if (!fits(entry[diagonal], others)) flaws[0] = 1;
      if (!has_root(entry[diagonal])) flaws[1] = 1;
      store_number(pivot + std::int64_t(r) * words<S>, entry[diagonal]);
    }
  }

private:
  KOKKOS_FUNCTION S awaited(Index k) const
  {
    Word word[words<S>];
    for (Word &w : word) w = not_there;
    await([&](int w) { return pivot + std::int64_t(k) * words<S> + w; }, word);
    Kokkos::memory_fence(); // no entry of row k is read before
    return number_of<S>(word);
  }

  /// Subtracts from the rest of a row, which ends at `end`, the row that entry i is to vanish by.
  template <class Member> KOKKOS_FUNCTION void eliminate(const Member &member, Index i, Index end) const
  {
    const Index k      = a.col[i];
    const S     factor = entry[i] / awaited(k);
    for (Index j = a.diagonal[k] + 1 + member.team_rank(); j < a.row_ptr[k + 1]; j += member.team_size()) {
      const Index at = first_not_before(a.col[j], i + 1, end);
      if (at < end && a.col[at] == a.col[j]) entry[at] -= factor * entry[j];
    }
    member.team_barrier(); // all have read entry i
    if (member.team_rank() == 0) entry[i] = factor;
    member.team_barrier();
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
