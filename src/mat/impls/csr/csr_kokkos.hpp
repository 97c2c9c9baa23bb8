#pragma once

/// \file csr_kokkos.hpp
/// Plain CSR for whatever Kokkos runs on, dealt in one of two ways; each piece of the matrix is a team's.
///
/// **Tiles**, by speculative segmented sum (Liu & Vinter 2015, algorithm 1). All tiles have equally many entries,
/// whatever rows these are of. The lanes of a team multiply the entries of a tile side by side; the products wait in
/// memory that the team shares for the lanes that sum the rows. The prediction is that hardly any row is empty. Tiles
/// where most of them are, are dirty: their rows are repaired afterwards, by all teams.
///
/// **Tickets**, of rows that are dealt as they come (LightSpMV, Liu & Schmidt 2015). The paper's workers draw tickets
/// from a counter. Here each ticket is a team of Kokkos' league: a device begins the next one, by its hardware, as soon
/// as another has ended. Where a ticket is done is different each time, but not how a row is summed. On a device they
/// are dealt where tiles are asked for, too, if a row has the entries of many tiles.

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/csr_view.hpp"
#include "impls/csr/csr.hpp"
#include "kernels/kokkos/kernel.hpp"
#include "kernels/kokkos/segments.hpp"

namespace petscspmv::csr {

using kernels::lane_entries; // the paper's W

/// Lanes of a team, and threads where they are a device's: the paper's T. On the host, tiles have the option `bunch`.
using Lanes = std::integral_constant<int, 128>;

/// Entries of a ticket at most.
inline constexpr int ticket_entries = Lanes::value * lane_entries;

/// Consecutive entries, and the rows they are from: a tile or a ticket. The first tickets are pieces of long rows,
/// which have no rows of their own.
///
/// Tile t has a window of lanes * lane_entries entries that begins at t * step, so that it can be loaded before
/// anything else is known. Windows overlap by the longest row, if that is short: the tile begins with the first row
/// that begins in its window, and no row is cut. Else it begins with the window.
///
///     windows   |-------------0-------------|
///                                       |-------------1-------------|
///     rows      =a=|=b=|c empty|==d=======|=e=|========f========|====g=====
///     tiles     |-----------0-------------|---------1-----------|---2--
template <class Index> struct alignas(4 * sizeof(Index)) Piece {
  Index begin, end;          ///< entries
  Index first_row, last_row; ///< rows first_row .. last_row - 1; of a tile, the first and the last may be cut

  KOKKOS_FUNCTION Index rows() const { return last_row - first_row; }
};

/// What a product goes by.
struct Summary {
  Schedule schedule = Schedule::parts; ///< the pieces are tiles, or tickets

  int lanes = 0; ///< of a tile
  int step  = 0; ///< entries from one tile's window to the next

  int pieces  = 0; ///< of long rows: the first tickets
  int rows    = 0; ///< of a ticket, at most
  int vector  = 1; ///< lanes that sum a row of a ticket, the paper's V
  int several = 1; ///< the same for several vectors

  KOKKOS_FUNCTION int window() const { return lanes * lane_entries; }

  /// A tile with more rows than twice its entries: then most of them are empty.
  template <class Index> KOKKOS_FUNCTION bool is_dirty(const Piece<Index> &tile) const { return tile.rows() > 2 * window(); }
};

/// A CSR matrix in pieces; see kernels/kokkos/format.hpp. They are tickets if `options` are those of aijlight, or if
/// rows are too long for tiles of a device. Its first three arrays are AIJ's, or copies; it is made without them.
template <class Scalar, class I, class Memory> struct PiecesOfRows {
  using S                        = kernels::KokkosScalar<Scalar>;
  using Index                    = I;
  template <class T> using Array = kernels::KokkosArray<T, Memory>;

  Summary                           summary;
  Array<Index>                      row_ptr;    ///< [rows + 1]
  Array<Index>                      col;        ///< [nonzeros]
  Array<S>                          val;        ///< [nonzeros]
  Array<Piece<Index>>               piece;      ///< tiles or tickets
  Array<Piece<Index>>               dirty;      ///< rows of dirty tiles that are not cut, as many as a team repairs
  Array<kernels::CutSegment<Index>> cut;        ///< rows of several tiles, or long rows
  Array<S>                          head, tail; ///< [tiles] of cut rows, none if there are no such; of long rows, tail has [their pieces]

  PiecesOfRows() = default;
  PiecesOfRows(const Index *host_row_ptr, Index rows, const OptionValues &options, bool for_device);
  Facts facts() const;

  template <class Visit, class... M> static void each(const Visit &visit, M &...m)
  {
    visit("columns", m.col...);
    visit("values", m.val...);
    visit("row pointer", m.row_ptr...);
    visit("tiles or tickets", m.piece...);
    visit("rows of dirty tiles", m.dirty...);
    visit("cut rows", m.cut...);
    visit("", m.head...);
    visit("", m.tail...);
  }

  std::size_t column_scratch() const { return 0; }

  template <class Exec, class P> void multiply(const Exec &exec, const kernels::KokkosShape &shape, const P &p) const;

private:
  void cut_into_tiles(const Index *row_ptr, Index rows, Index longest, int lanes);
  void deal_tickets(const Index *row_ptr, Index rows, const OptionValues &options, bool for_device);
};

/// A row of a tile.
template <class Index> struct TileRow {
  Index number;
  int   low, high;        ///< its part of the window
  bool  continues, opens; ///< it began before the tile, it goes on behind it
  bool  empty;

  KOKKOS_FUNCTION TileRow(const Index *row_ptr, const Piece<Index> &tile, Index window, Index row) : number(row)
  {
    const Index from = row_ptr[row], to = row_ptr[row + 1];
    continues = from < tile.begin;
    opens     = to > tile.end;
    empty     = from == to;
    low       = static_cast<int>((continues ? tile.begin : from) - window);
    high      = static_cast<int>((opens ? tile.end : to) - window);
  }
  KOKKOS_FUNCTION int length() const { return high - low; }
};

/// What a team shares for a tile: of one vector the products, of several the entries, for X is more than they are.
template <class Matrix, class P> struct SharedTile {
  using Sum   = typename P::Sum;
  using S     = typename Matrix::S;
  using Index = typename Matrix::Index;

  S     *value; ///< [window] products, or values
  Index *col;   ///< [window] of several vectors
  Sum   *part;  ///< [2 * lanes] of rows that lanes share
  int   *long_rows, *long_row;

  template <class Member>
  KOKKOS_FUNCTION SharedTile(const Member &member, const Summary &s)
    : value(kernels::team_scratch<S>(member, s.window())), col(P::has_one ? nullptr : kernels::team_scratch<Index>(member, s.window())),
      part(kernels::team_scratch<Sum>(member, 2 * s.lanes)), long_rows(kernels::team_scratch<int>(member, 2 + s.window() / long_entries)),
      long_row(long_rows + 1)
  {
  }
  static std::size_t bytes(const Summary &s)
  {
    const auto room = [](int n, std::size_t size) { return static_cast<std::size_t>(n + 1) * size; };
    return room(s.window(), sizeof(S)) + (P::has_one ? 0 : room(s.window(), sizeof(Index))) + room(2 * s.lanes, sizeof(Sum)) +
           room(2 + s.window() / long_entries, sizeof(int));
  }

  /// A row of a tile with more entries than both is too long for the lanes that share a row.
  static constexpr int long_entries = 64, long_entries_a_lane = 24;
};

/// Stage 1: a team for each tile.
template <class Matrix, class P> struct SumTiles {
  using Sum    = typename P::Sum;
  using S      = typename Matrix::S;
  using Index  = typename Matrix::Index;
  using Tile   = Piece<Index>;
  using Row    = TileRow<Index>;
  using Shared = SharedTile<Matrix, P>;
  Matrix a;
  P      p;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const int  t      = member.league_rank();
    const auto window = static_cast<Index>(t) * a.summary.step;
    const Tile tile   = a.piece(t);
    if (tile.rows() == 1) return sum_one_row(member, t, tile);
    const Shared shared(member, a.summary);
    if (member.team_rank() == 0) *shared.long_rows = 0;
    kernels::each_of_team(member, a.summary.lanes, [&](const int l) { stage(window, l, shared); });
    member.team_barrier();
    // Of a dirty tile, only the rows that may be cut.
    const bool dirty = a.summary.is_dirty(tile);
    const int  rows  = dirty ? 2 : static_cast<int>(tile.rows());
    sum_rows<true>(member, t, shared, rows, [&](int k) { return dirty && k == 1 ? static_cast<int>(tile.rows()) - 1 : k; });
    if (const int n = *shared.long_rows; n > 0) sum_rows<false>(member, t, shared, n, [&](int k) { return shared.long_row[k]; });
  }

private:
  /// The fast track: the products need not be kept apart.
  template <class Member> KOKKOS_FUNCTION void sum_one_row(const Member &member, int t, const Tile &tile) const
  {
    for (int group = 0; group < p.groups(); ++group) {
      Sum sum;
      Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(member, tile.end - tile.begin),
        [&](const int i, Sum &s) { s += kernels::entry_product(a.val(tile.begin + i), p.at(a.col(tile.begin + i), group), p.conjugate); },
        sum);
      if (member.team_rank() == 0) deliver(t, Row(a.row_ptr.data(), tile, tile.begin, tile.first_row), sum, group);
    }
  }

  /// Lane l brings entries l, l + lanes, .. of a window, all at once, so that many loads are in flight. The last entry
  /// of the matrix stands for those beyond it, at which nobody looks.
  KOKKOS_FUNCTION void stage(Index window, int l, const Shared &shared) const
  {
    const int   lanes = a.summary.lanes;
    const Index last  = static_cast<Index>(a.col.extent(0)) - 1 - window;
    Index       col[lane_entries];
    S           val[lane_entries];
    const auto  at = [&](int k) { return window + (l + k * lanes < last ? static_cast<Index>(l + k * lanes) : last); };
    for (int k = 0; k < lane_entries; ++k) col[k] = a.col(at(k));
    for (int k = 0; k < lane_entries; ++k) val[k] = a.val(at(k));
    if constexpr (P::has_one) {
      S x[lane_entries];
      for (int k = 0; k < lane_entries; ++k) x[k] = p.at(col[k], 0);
      for (int k = 0; k < lane_entries; ++k) shared.value[l + k * lanes] = kernels::entry_product(val[k], x[k], p.conjugate);
    } else
      for (int k = 0; k < lane_entries; ++k) {
        shared.col[l + k * lanes]   = col[k];
        shared.value[l + k * lanes] = val[k];
      }
  }

  /// By one of `share` lanes.
  KOKKOS_FUNCTION Sum sum_of(const Row &row, int lane, int share, const Shared &shared, int group) const
  {
    if constexpr (P::has_one) {
      Sum sum = Sum();
      for (int e = row.low + lane; e < row.high; e += share) sum += shared.value[e];
      return sum;
    } else return kernels::strided_sum(shared.col, shared.value, row.low + lane, row.high, share, p, group);
  }

  /// The sums over n rows, row_of(0 .. n - 1) of a tile, for each group of columns. Lanes share a sum if there are
  /// enough of them; neighbours have the groups of a row. Rows that are too long for so few lanes are put on the list
  /// instead, if they may be; to those on it 32 lanes are given.
  template <bool may_leave, class Member, class RowOf>
  KOKKOS_FUNCTION void sum_rows(const Member &member, int t, const Shared &shared, int n, const RowOf &row_of) const
  {
    const Tile  tile   = a.piece(t);
    const Index window = static_cast<Index>(t) * a.summary.step;
    const int   groups = p.groups(), lanes = a.summary.lanes;
    int         share = 1;
    while (share < 32 && 2 * share * groups * (may_leave ? n : 1) <= lanes) share *= 2;
    const int rows = lanes > share * groups ? lanes / (share * groups) : 1, sums = rows * groups; // of a round
    // Calls work(row, its part of the window, group) for sum i of a round, if there is one, and if it is not left.
    const auto with_row = [&](int first, int i, bool lists, const auto &work) {
      const int k = first + (i >> p.shift), group = i & (groups - 1);
      if (k >= n) return;
      const Row row(a.row_ptr.data(), tile, window, static_cast<Index>(tile.first_row + row_of(k)));
      if (may_leave && row.length() > Shared::long_entries && row.length() > Shared::long_entries_a_lane * share) {
        if (lists && group == 0) shared.long_row[Kokkos::atomic_fetch_add(shared.long_rows, 1)] = row_of(k); // in any order
      } else work(row, group);
    };
    for (int first = 0; first < n; first += rows) {
      kernels::each_of_team(member, sums * share, [&](const int l) {
        const int lane = (l >> p.shift) & (share - 1), i = (l >> p.shift) / share << p.shift | (l & (groups - 1));
        with_row(first, i, lane == 0, [&](const Row &row, int group) {
          const Sum sum = sum_of(row, lane, share, shared, group);
          if (share == 1) deliver(t, row, sum, group);
          else shared.part[i * (share + 1) + lane] = sum; // sums begin in different banks
        });
      });
      if (share > 1) {
        member.team_barrier();
        kernels::each_of_team(member, sums, [&](const int i) {
          with_row(first, i, false, [&](const Row &row, int group) {
            Sum sum = Sum();
            for (int lane = 0; lane < share; ++lane) sum += shared.part[i * (share + 1) + lane];
            deliver(t, row, sum, group);
          });
        });
      }
      if (share > 1 || may_leave) member.team_barrier();
    }
  }

  /// Where a tile's sum of a row goes.
  KOKKOS_FUNCTION void deliver(int t, const Row &row, const Sum &sum, int group) const
  {
    if (row.continues) kernels::kept_sum(p, a.head, t, group) = sum;
    else if (row.opens) kernels::kept_sum(p, a.tail, t, group) = sum;
    else if (!row.empty) p.update(row.number, sum, group);
    else if (group == 0) p.update.empty(row.number);
  }
};

/// Stage 2, the repair: a thread for each row.
template <class Matrix, class P> struct Repair {
  Matrix a;
  P      p;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const auto &rows = a.dirty(member.league_rank());
    kernels::each_of_team(member, static_cast<int>(rows.rows()), [&](const int k) {
      const auto row = rows.first_row + k, from = a.row_ptr(row), to = a.row_ptr(row + 1);
      if (from == to) return p.update.empty(row);
      for (int group = 0; group < p.groups(); ++group)
        p.update(row, kernels::strided_sum(a.col.data(), a.val.data(), from, to, 1, p, group), group);
    });
  }
};

/// A team for each ticket.
template <class Matrix, class P> struct SumTickets {
  using Sum    = typename P::Sum;
  using Index  = typename Matrix::Index;
  using Ticket = Piece<Index>;
  Matrix a;
  P      p;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const int    number = member.league_rank();
    const Ticket t      = a.piece(number);
    if (number < a.summary.pieces) long_piece(member, number, t);
    else if constexpr (P::has_one) staged_rows(member, t);
    else rows(member, t);
  }

  /// The lanes multiply the entries of a ticket one after the other, however they are divided into rows; the products
  /// wait in memory that the team shares for the lanes that sum their row.
  template <class Member> KOKKOS_FUNCTION void staged_rows(const Member &member, const Ticket &t) const
  {
    Sum *const product = kernels::team_scratch<Sum>(member, ticket_entries);
    int *const start   = kernels::team_scratch<int>(member, a.summary.rows + 1); // of each row, among the products
    const int  rows    = static_cast<int>(t.rows());
    kernels::bring_products(member, Lanes(), a.col, a.val, t.begin, t.end - t.begin, p, product, [&](const int l) {
      for (int row = l; row <= rows; row += Lanes()) start[row] = static_cast<int>(a.row_ptr(t.first_row + row) - t.begin);
    });
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, rows), [&](const int row) {
      Sum sum;
      Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, start[row], start[row + 1]), [&](const int i, Sum &s) { s += product[i]; }, sum);
      Kokkos::single(Kokkos::PerThread(member), [&] { p.update(t.first_row + row, sum); });
    });
  }

  /// With several vectors, threads beside one another have the groups of a row, and so whole lines of x, which are more
  /// than what there is of the matrix.
  template <class Member> KOKKOS_FUNCTION void rows(const Member &member, const Ticket &t) const
  {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, t.rows() << p.shift), [&](const Index k) {
      const Index row   = t.first_row + (k >> p.shift);
      const int   group = static_cast<int>(k & (p.groups() - 1)), vector = a.summary.several;
      const Sum sum = kernels::sum_of_entries(Kokkos::ThreadVectorRange(member, vector), vector, a.col.data(), a.val.data(), a.row_ptr(row),
                                              a.row_ptr(row + 1), p, group);
      Kokkos::single(Kokkos::PerThread(member), [&] { p.update(row, sum, group); });
    });
  }

  template <class Member> KOKKOS_FUNCTION void long_piece(const Member &member, int number, const Ticket &t) const
  {
    for (int group = 0; group < p.groups(); ++group) {
      const Sum sum = kernels::sum_of_entries(Kokkos::TeamVectorRange(member, int(Lanes())), Lanes(), a.col.data(), a.val.data(), t.begin,
                                              t.end, p, group);
      Kokkos::single(Kokkos::PerTeam(member), [&] { kernels::kept_sum(p, a.tail, number, group) = sum; });
    }
  }
};

template <class Scalar, class Index, class Memory>
template <class Exec, class P>
void PiecesOfRows<Scalar, Index, Memory>::multiply(const Exec &exec, const kernels::KokkosShape &shape, const P &p) const
{
  using Matrix = PiecesOfRows;
  if (summary.schedule == Schedule::parts) {
    // Registers are kept so few that a multiprocessor has room for so many teams. H100, cold, microseconds with 12
    // teams and with 16: 7-point 160^3 156, 162, a mesh of a million nodes 83, 89.
    constexpr int at_a_time = P::has_one && sizeof(S) == sizeof(double) ? 12 : 6;
    const int     team      = std::min(kernels::team_size(exec, shape.team * std::max(1, shape.lanes), Lanes()), int(Lanes()));
    const auto    teams     = [&](std::int64_t league, std::size_t scratch) {
      return kernels::league_of_teams<Lanes::value, at_a_time>(exec, league, team, 1, scratch);
    };
    Kokkos::parallel_for("petscspmv aijspec", teams(piece.extent(0), SharedTile<Matrix, P>::bytes(summary)), SumTiles<Matrix, P>{*this, p});
    kernels::join_cut_rows(exec, cut, head, tail, p);
    if (dirty.extent(0) > 0) Kokkos::parallel_for("petscspmv aijspec repair", teams(dirty.extent(0), 0), Repair<Matrix, P>{*this, p});
  } else {
    const int         vector = shape.lanes > 0 ? shape.lanes : P::has_one ? summary.vector : summary.several;
    const int         team   = kernels::team_size(exec, shape.team, Lanes() / vector);
    const std::size_t scratch =
      P::has_one ? ticket_entries * sizeof(S) + alignof(S) + static_cast<std::size_t>(summary.rows + 2) * sizeof(int) : 0;
    Kokkos::parallel_for("petscspmv aijlight", kernels::league_of_teams(exec, piece.extent(0), team, vector, scratch),
                         SumTickets<Matrix, P>{*this, p});
    kernels::join_cut_rows(exec, cut, tail, tail, p);
  }
}

} // namespace petscspmv::csr
