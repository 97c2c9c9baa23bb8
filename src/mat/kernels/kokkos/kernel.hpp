#pragma once

/// \file kernel.hpp
/// What products through Kokkos are written with: y = alpha s + beta y for one vector or several, and sums of entries.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/kokkos/arrays.hpp"

namespace petscspmv::kernels {

/// a x, or conj(a) x.
KOKKOS_INLINE_FUNCTION double entry_product(double a, double x, bool)
{
  return a * x;
}
KOKKOS_INLINE_FUNCTION Kokkos::complex<double> entry_product(Kokkos::complex<double> a, Kokkos::complex<double> x, bool conjugate)
{
  return (conjugate ? Kokkos::conj(a) : a) * x;
}

/// n neighbouring columns in a row of X, or sums for them: what one lane has of several vectors.
template <class S, int n> struct alignas(16) Columns {
  S of[n] = {};

  KOKKOS_FUNCTION Columns &operator+=(const Columns &other)
  {
    for (int c = 0; c < n; ++c) of[c] += other.of[c];
    return *this;
  }
};

template <class S, int n> KOKKOS_FUNCTION Columns<S, n> entry_product(S a, const Columns<S, n> &x, bool conjugate)
{
  Columns<S, n> product;
  for (int c = 0; c < n; ++c) product.of[c] = entry_product(a, x.of[c], conjugate);
  return product;
}

/// How sums enter y; see rows/update.hpp.
template <class S> struct KokkosRowUpdate {
  S   *y;
  S    alpha, beta;
  bool unit;     ///< alpha == 1
  bool replaces; ///< beta == 0: y is not read
  bool adds;     ///< beta == 1

  KokkosRowUpdate(S alpha_, S beta_, S *y_)
    : y(y_), alpha(alpha_), beta(beta_), unit(alpha_ == S(1)), replaces(beta_ == S(0)), adds(beta_ == S(1))
  {
  }

  /// y = A x: sums need not be changed, and y is not read.
  bool stores() const { return unit && replaces; }

  template <class Index> KOKKOS_FUNCTION void operator()(Index row, S sum, int = 0) const
  {
    sum += S(0); // of entries that are all -0, too
    if (!unit) sum = alpha * sum;
    if (!replaces) sum += adds ? y[row] : beta * y[row];
    y[row] = sum;
  }

  template <class Index> KOKKOS_FUNCTION void empty(Index row) const
  {
    if (!adds) y[row] = replaces ? S(0) : beta * y[row];
  }
};

/// The same for columns of Y.
template <class S, int n> struct KokkosRowUpdates {
  KokkosRowUpdate<S> first; ///< column
  std::int64_t       ldy;
  int                columns;

  KOKKOS_FUNCTION KokkosRowUpdate<S> column(int c) const
  {
    KokkosRowUpdate<S> update = first;
    update.y += c * ldy;
    return update;
  }
  template <class Index> KOKKOS_FUNCTION void operator()(Index row, const Columns<S, n> &sum, int group) const
  {
    for (int c = 0; c < n && group * n + c < columns; ++c) column(group * n + c)(row, sum.of[c]);
  }
  template <class Index> KOKKOS_FUNCTION void empty(Index row) const
  {
    for (int c = 0; c < columns; ++c) column(c).empty(row);
  }
};

/// What a kernel is given besides the matrix, for one vector.
///
/// Kernels are written for this and for KokkosProducts: a row has 1 << shift sums, for a group of columns each, and
/// at(column, group) is what an entry is multiplied with for one of them.
template <class S> struct KokkosProduct {
  using Sum                                    = S;
  static constexpr bool                has_one = true; ///< vector
  static constexpr int                 shift   = 0;
  KOKKOS_FUNCTION static constexpr int groups() { return 1; }

  const S           *x;
  KokkosRowUpdate<S> update;
  bool               conjugate; ///< the entries of the matrix

  template <class Index> KOKKOS_FUNCTION S at(Index column, int) const { return x[column]; }
};

/// The same for several vectors, which are groups of n columns. The entries of X for one column of the matrix are side
/// by side, so that an entry of the matrix finds them in neighbouring bytes, and lanes that have the groups of a row
/// read them together.
template <class S, int n> struct KokkosProducts {
  using Sum                     = Columns<S, n>;
  static constexpr bool has_one = false;

  const Sum             *x; ///< [columns of the matrix << shift]
  KokkosRowUpdates<S, n> update;
  bool                   conjugate;
  int                    shift;

  KOKKOS_FUNCTION int                        groups() const { return 1 << shift; }
  template <class Index> KOKKOS_FUNCTION Sum at(Index column, int group) const { return x[(std::int64_t(column) << shift) + group]; }
};

/// Copies vectors for KokkosProducts; index i is a group of a column of the matrix. There may be fewer vectors than
/// columns in the groups: zeros are in their place, of which no sum is written.
template <class S, int n> struct Interleave {
  const S       *x;
  std::int64_t   ldx;
  int            columns, shift;
  Columns<S, n> *to;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const
  {
    const std::int64_t row   = i >> shift;
    const int          first = static_cast<int>(i - (row << shift)) * n;
    Columns<S, n>      group;
    for (int c = 0; c < n; ++c) group.of[c] = first + c < columns ? x[row + (first + c) * ldx] : S(0);
    to[i] = group;
  }
};

/// Number k of the sums that a product keeps in an array of the matrix.
template <class P, class Array> KOKKOS_FUNCTION typename P::Sum &kept_sum(const P &p, const Array &sums, std::int64_t k, int group)
{
  return reinterpret_cast<typename P::Sum *>(sums.data())[(k << p.shift) + group];
}

/// Entries of a CSR matrix that a lane multiplies at once, so that many loads are in flight: an odd number, so that
/// lanes that then walk through as many products of their own in shared memory use different banks.
inline constexpr int lane_entries = 7;

/// Brings the products of entries begin .. begin + n - 1 with x to `product`, and zeros behind them, [lanes *
/// lane_entries] in all, which must be n at least. Neighbouring lanes take neighbouring entries, and do meanwhile(lane)
/// while these are on their way. The team has to wait for one another before they are read. `lanes` may be a constant.
template <class Member, class Lanes, class S, class Index, class Col, class Val, class Meanwhile>
KOKKOS_FUNCTION void bring_products(const Member &member, Lanes lanes, const Col &column, const Val &value, Index begin, Index n,
                                    const KokkosProduct<S> &p, S *product, const Meanwhile &meanwhile)
{
  Kokkos::parallel_for(Kokkos::TeamVectorRange(member, int(lanes)), [&](const int l) {
    Index col[lane_entries];
    S     val[lane_entries];
    for (int k = 0; k < lane_entries; ++k) {
      const Index i = l + k * lanes;
      col[k]        = i < n ? column(begin + i) : Index(-1);
      val[k]        = i < n ? value(begin + i) : S(0);
    }
    meanwhile(l);
    for (int k = 0; k < lane_entries; ++k) product[l + k * lanes] = col[k] >= 0 ? entry_product(val[k], p.x[col[k]], p.conjugate) : S(0);
  });
}

/// The sum over entries begin, begin + stride, .. below `end`, with several of x on their way at a time.
template <class P, class Index, class Col, class Val>
KOKKOS_FUNCTION typename P::Sum strided_sum(const Col &column, const Val &value, Index begin, Index end, int stride, const P &p, int group)
{
  using Sum           = typename P::Sum;
  constexpr int ahead = P::has_one ? 8 : 4;
  Sum           sum   = Sum();
  for (Index i = begin; i < end; i += ahead * stride) {
    Sum x[ahead];
    for (int k = 0; k < ahead; ++k)
      if (i + k * stride < end) x[k] = p.at(column[i + k * stride], group);
    for (int k = 0; k < ahead; ++k)
      if (i + k * stride < end) sum += entry_product(value[i + k * stride], x[k], p.conjugate);
  }
  return sum;
}

/// The sum over entries begin .. end - 1 by `lanes` lanes, which `range` are.
template <class Range, class P, class Index, class Col, class Val>
KOKKOS_FUNCTION typename P::Sum sum_of_entries(const Range &range, int lanes, const Col &column, const Val &value, Index begin, Index end,
                                               const P &p, int group = 0)
{
  typename P::Sum sum;
  Kokkos::parallel_reduce(
    range,
    [&](const int lane, typename P::Sum &s) { s += strided_sum(column, value, static_cast<Index>(begin + lane), end, lanes, p, group); },
    sum);
  return sum;
}

/// `team` threads of `lanes` vector lanes work together; 0: as many as suit the execution space.
struct KokkosShape {
  int team = 0, lanes = 0;
};

/// The threads of a team in this space, if `wanted` is 0 and a device's would be `on_device` ones; a host has one team
/// for each thread.
template <class Exec> int team_size(const Exec &exec, int wanted, int on_device)
{
  if constexpr (!is_host_space<Exec>) return wanted > 0 ? wanted : on_device;
  else if constexpr (std::is_same_v<Exec, Kokkos::Serial>) return 1;
  else return std::clamp(wanted, 1, exec.concurrency());
}

/// Calls work(l) for l = 0 .. n - 1, each of them by one thread of a team of one vector lane a thread.
template <class Member, class Work> KOKKOS_FUNCTION void each_of_team(const Member &member, int n, const Work &work)
{
  for (int l = member.team_rank(); l < n; l += member.team_size()) work(l);
}

} // namespace petscspmv::kernels

/// For sums of several columns by a team.
template <class S, int n> struct Kokkos::reduction_identity<petscspmv::kernels::Columns<S, n>> {
  KOKKOS_FUNCTION static constexpr petscspmv::kernels::Columns<S, n> sum() { return {}; }
};
