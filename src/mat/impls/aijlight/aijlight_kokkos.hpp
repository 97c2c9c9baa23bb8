#pragma once

/// \file aijlight_kokkos.hpp
/// Rows that are dealt as they come (LightSpMV, Liu & Schmidt 2015) for whatever Kokkos runs on.

#include <algorithm>

#include "core/csr_view.hpp"
#include "core/format.hpp"
#include "kernels/kokkos/kernel.hpp"

namespace petscspmv::aijlight {

using kernels::lane_entries;

/// What a product goes by.
struct LightSummary {
  std::int64_t rows      = 0;
  std::int64_t ticket    = 1; ///< rows of a ticket
  std::int64_t tickets   = 0;
  std::int64_t threshold = 0; ///< rows with more entries are for teams of their own
  int          vector    = 1; ///< lanes that sum a row, the paper's V
  int          lanes     = 1; ///< that multiply the entries of a ticket; there is room for the products of lane_entries each
};

/// A CSR matrix whose rows are dealt; see kernels/kokkos/format.hpp.
template <class Scalar, class Index, class Memory> struct LightMatrix {
  using S                           = kernels::KokkosScalar<Scalar>;
  template <class T> using Array    = kernels::KokkosArray<T, Memory>;
  static constexpr bool borrows_csr = true;

  LightSummary        summary;
  Array<Index>        row_ptr;  ///< [rows + 1]
  Array<Index>        col;      ///< [nonzeros]
  Array<S>            val;      ///< [nonzeros]
  Array<Index>        long_row; ///< rows with more entries than the threshold
  Array<std::int64_t> counter;  ///< [1] the next ticket; 0 between products

  LightMatrix() = default;
  LightMatrix(const CsrView<Scalar, Index> &a, const OptionValues &options, bool for_device);
  Facts facts() const;

  template <class Visit, class... M> static void each(const Visit &visit, M &...m)
  {
    visit("row pointer", m.row_ptr...);
    visit("columns", m.col...);
    visit("values", m.val...);
    visit("long rows", m.long_row...);
    visit("", m.counter...);
  }

  template <class Visit> void for_each_entry(const Visit &visit) const
  {
    for (Index r = 0; r < static_cast<Index>(summary.rows); ++r)
      for (Index i = row_ptr(r); i < row_ptr(r + 1); ++i) visit(r, col(i), Scalar(val(i)));
  }

  std::size_t column_scratch() const { return 0; }

  template <class Exec, class P> void multiply(const Exec &exec, const kernels::KokkosShape &shape, const P &p) const;
};

/// Teams take tickets until there are none left. Which team has which ticket is different each time, but not how a row
/// is summed.
template <class Index, class Matrix, class P> struct TakeTickets {
  using Sum = typename P::Sum;
  Matrix a;
  P      p;

  /// Of the entries of a ticket, which a team keeps if there is one vector.
  KOKKOS_FUNCTION static int products(int lanes) { return P::has_one ? lanes * lane_entries : 0; }

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    Sum *const          product = kernels::team_scratch<Sum>(member, products(a.summary.lanes));
    std::int64_t *const ticket  = kernels::team_scratch<std::int64_t>(member, 2); // this one and the next, in turn
    const auto          draw    = [&](int turn) {
      Kokkos::single(Kokkos::PerTeam(member), [&] { ticket[turn] = Kokkos::atomic_fetch_add(&a.counter(0), std::int64_t(1)); });
    };
    draw(0);
    member.team_barrier();
    int turn = 0;
    for (; ticket[turn] < a.summary.tickets; turn ^= 1) {
      const std::int64_t first = ticket[turn] * a.summary.ticket, last = first + a.summary.ticket;
      draw(turn ^ 1); // on its way meanwhile
      rows(member, static_cast<Index>(first), static_cast<Index>(last < a.summary.rows ? last : a.summary.rows), product);
      member.team_barrier();
    }
    // Each team finds none once, and the last of them leaves the counter as the next product wants it.
    if (ticket[turn] == a.summary.tickets + member.league_size() - 1) Kokkos::single(Kokkos::PerTeam(member), [&] { a.counter(0) = 0; });
  }

  /// A row is summed by the vector lanes of a thread, from products that all have brought if there is room for them.
  /// With several vectors, threads beside one another have the groups of a row, and so whole lines of x.
  template <class Member> KOKKOS_FUNCTION void rows(const Member &member, Index first, Index last, Sum *product) const
  {
    const Index begin = a.row_ptr(first), n = a.row_ptr(last) - begin;
    const bool  fit = P::has_one && n <= static_cast<Index>(a.summary.lanes) * lane_entries;
    if constexpr (P::has_one)
      if (fit) {
        const int lanes = static_cast<int>((n + lane_entries - 1) / lane_entries);
        kernels::bring_products(member, lanes, a.col, a.val, begin, n, p, product);
        member.team_barrier();
      }
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, (last - first) << p.shift), [&](const Index k) {
      const Index row = first + (k >> p.shift), from = a.row_ptr(row), length = a.row_ptr(row + 1) - from;
      const int   group = static_cast<int>(k & (p.groups() - 1));
      if (length > a.summary.threshold) return;
      Sum sum;
      if (fit)
        Kokkos::parallel_reduce(
          Kokkos::ThreadVectorRange(member, length), [&](const Index i, Sum &s) { s += product[from - begin + i]; }, sum);
      else sum = kernels::sum_of_entries(Kokkos::ThreadVectorRange(member, length), a.col, a.val, from, p, group);
      Kokkos::single(Kokkos::PerThread(member), [&] { p.update(row, sum, group); });
    });
  }
};

/// A team for each long row.
template <class Index, class Matrix, class P> struct SumLongRows {
  Matrix a;
  P      p;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const Index row = a.long_row(member.league_rank()), from = a.row_ptr(row), length = a.row_ptr(row + 1) - from;
    for (int group = 0; group < p.groups(); ++group) {
      const typename P::Sum sum = kernels::sum_of_entries(Kokkos::TeamVectorRange(member, length), a.col, a.val, from, p, group);
      Kokkos::single(Kokkos::PerTeam(member), [&] { p.update(row, sum, group); });
    }
  }
};

template <class Scalar, class Index, class Memory>
template <class Exec, class P>
void LightMatrix<Scalar, Index, Memory>::multiply(const Exec &exec, const kernels::KokkosShape &shape, const P &p) const
{
  using Tickets              = TakeTickets<Index, LightMatrix, P>;
  using Sum                  = typename P::Sum;
  const int          vector  = shape.lanes > 0 ? shape.lanes : summary.vector;
  const int          team    = kernels::team_size(exec, shape.team, summary.lanes / vector);
  const std::int64_t at_once = std::max(1, exec.concurrency() / (kernels::is_host_space<Exec> ? team : team * vector));
  const std::size_t  scratch = Tickets::products(summary.lanes) * sizeof(Sum) + 4 * sizeof(std::int64_t) + alignof(Sum);
  Kokkos::parallel_for("petscspmv aijlight", kernels::league_of_teams(exec, std::min(summary.tickets, at_once), team, vector, scratch),
                       Tickets{*this, p});
  if (long_row.extent(0) > 0)
    Kokkos::parallel_for("petscspmv aijlight long rows", kernels::league_of_teams(exec, long_row.extent(0), team, vector),
                         SumLongRows<Index, LightMatrix, P>{*this, p});
}

} // namespace petscspmv::aijlight
