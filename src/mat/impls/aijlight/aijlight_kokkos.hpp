#pragma once

/// \file aijlight_kokkos.hpp
/// Rows that are dealt as they come (LightSpMV, Liu & Schmidt 2015) for whatever Kokkos runs on.
///
/// The paper's workers draw tickets from a counter. Here each ticket is a team of Kokkos' league: a device begins the
/// next one, by its hardware, as soon as another has ended. Where a ticket is done is different each time, but not how a
/// row is summed.

#include <cstdint>
#include <type_traits>

#include "core/csr_view.hpp"
#include "core/format.hpp"
#include "kernels/kokkos/kernel.hpp"
#include "kernels/kokkos/segments.hpp"

namespace petscspmv::aijlight {

/// Lanes of a team, and entries of a ticket at most.
using Lanes                         = std::integral_constant<int, 128>;
inline constexpr int ticket_entries = Lanes::value * kernels::lane_entries;

/// Rows first .. last - 1; none for a piece of a long row.
template <class Index> struct Ticket {
  Index first, last;
  Index begin, end; ///< entries
};

/// What a product goes by.
struct LightSummary {
  int pieces  = 0; ///< of long rows: the first tickets
  int rows    = 0; ///< of a ticket, at most
  int vector  = 1; ///< lanes that sum a row, the paper's V
  int several = 1; ///< the same for several vectors
};

/// A CSR matrix whose rows are dealt; see kernels/kokkos/format.hpp.
template <class Scalar, class Index, class Memory> struct LightMatrix {
  using S                           = kernels::KokkosScalar<Scalar>;
  template <class T> using Array    = kernels::KokkosArray<T, Memory>;
  static constexpr bool borrows_csr = true;

  LightSummary                      summary;
  Array<Index>                      row_ptr; ///< [rows + 1]
  Array<Index>                      col;     ///< [nonzeros]
  Array<S>                          val;     ///< [nonzeros]
  Array<Ticket<Index>>              ticket;
  Array<kernels::CutSegment<Index>> cut;  ///< long rows
  Array<S>                          part; ///< [pieces] sums

  LightMatrix() = default;
  LightMatrix(const CsrView<Scalar, Index> &a, const OptionValues &options, bool for_device);
  /// How so many rows are dealt, without their entries.
  LightMatrix(const Index *host_row_ptr, Index rows, const OptionValues &options, bool for_device);
  Facts facts() const;

  template <class Visit, class... M> static void each(const Visit &visit, M &...m)
  {
    visit("row pointer", m.row_ptr...);
    visit("columns", m.col...);
    visit("values", m.val...);
    visit("tickets", m.ticket...);
    visit("long rows", m.cut...);
    visit("", m.part...);
  }

  std::size_t column_scratch() const { return 0; }

  template <class Exec, class P> void multiply(const Exec &exec, const kernels::KokkosShape &shape, const P &p) const;
};

/// A team for each ticket.
template <class Index, class Matrix, class P> struct SumTickets {
  using Sum = typename P::Sum;
  Matrix a;
  P      p;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const int           number = member.league_rank();
    const Ticket<Index> t      = a.ticket(number);
    if (number < a.summary.pieces) piece(member, number, t);
    else if constexpr (P::has_one) staged_rows(member, t);
    else rows(member, t);
  }

  /// The lanes multiply the entries of a ticket one after the other, however they are divided into rows; the products
  /// wait in memory that the team shares for the lanes that sum their row.
  template <class Member> KOKKOS_FUNCTION void staged_rows(const Member &member, const Ticket<Index> &t) const
  {
    Sum *const product = kernels::team_scratch<Sum>(member, ticket_entries);
    int *const start   = kernels::team_scratch<int>(member, a.summary.rows + 1); // of each row, among the products
    const int  rows    = static_cast<int>(t.last - t.first);
    kernels::bring_products(member, Lanes(), a.col, a.val, t.begin, t.end - t.begin, p, product, [&](const int l) {
      for (int row = l; row <= rows; row += Lanes()) start[row] = static_cast<int>(a.row_ptr(t.first + row) - t.begin);
    });
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, rows), [&](const int row) {
      Sum sum;
      Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, start[row], start[row + 1]), [&](const int i, Sum &s) { s += product[i]; }, sum);
      Kokkos::single(Kokkos::PerThread(member), [&] { p.update(t.first + row, sum); });
    });
  }

  /// With several vectors, threads beside one another have the groups of a row, and so whole lines of x, which are more
  /// than what there is of the matrix.
  template <class Member> KOKKOS_FUNCTION void rows(const Member &member, const Ticket<Index> &t) const
  {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, (t.last - t.first) << p.shift), [&](const Index k) {
      const Index row   = t.first + (k >> p.shift);
      const int   group = static_cast<int>(k & (p.groups() - 1)), vector = a.summary.several;
      const Sum sum = kernels::sum_of_entries(Kokkos::ThreadVectorRange(member, vector), vector, a.col.data(), a.val.data(), a.row_ptr(row),
                                              a.row_ptr(row + 1), p, group);
      Kokkos::single(Kokkos::PerThread(member), [&] { p.update(row, sum, group); });
    });
  }

  template <class Member> KOKKOS_FUNCTION void piece(const Member &member, int number, const Ticket<Index> &t) const
  {
    for (int group = 0; group < p.groups(); ++group) {
      const Sum sum = kernels::sum_of_entries(Kokkos::TeamVectorRange(member, int(Lanes())), Lanes(), a.col.data(), a.val.data(), t.begin,
                                              t.end, p, group);
      Kokkos::single(Kokkos::PerTeam(member), [&] { kernels::kept_sum(p, a.part, number, group) = sum; });
    }
  }
};

template <class Scalar, class Index, class Memory>
template <class Exec, class P>
void LightMatrix<Scalar, Index, Memory>::multiply(const Exec &exec, const kernels::KokkosShape &shape, const P &p) const
{
  const int         vector = shape.lanes > 0 ? shape.lanes : P::has_one ? summary.vector : summary.several;
  const int         team   = kernels::team_size(exec, shape.team, Lanes() / vector);
  const std::size_t scratch =
    P::has_one ? ticket_entries * sizeof(S) + alignof(S) + static_cast<std::size_t>(summary.rows + 2) * sizeof(int) : 0;
  Kokkos::parallel_for("petscspmv aijlight", kernels::league_of_teams(exec, ticket.extent(0), team, vector, scratch),
                       SumTickets<Index, LightMatrix, P>{*this, p});
  kernels::join_cut_rows(exec, cut, part, part, p);
}

} // namespace petscspmv::aijlight
