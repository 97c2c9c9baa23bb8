#pragma once

/// \file aijspec_kokkos.hpp
/// Speculative segmented sum (Liu & Vinter 2015, algorithm 1) for whatever Kokkos runs on.

#include <string>

#include "core/csr_view.hpp"
#include "core/format.hpp"
#include "kernels/kokkos/kernel.hpp"
#include "kernels/kokkos/segments.hpp"

namespace petscspmv::aijspec {

/// The paper's W.
using kernels::lane_entries;

/// The paper's T where there is a device: lanes of a tile, and threads of the team that sums it. On the host it is the
/// option `bunch`.
inline constexpr int device_lanes = 256;

/// Consecutive entries. A tile ends where a row ends, if that leaves it three quarters full: then no row is cut.
template <class Index> struct SpecTile {
  Index        begin;     ///< first entry
  Index        end;       ///< behind the last
  Index        row;       ///< of the first entry: the prediction is that segment k is row `row` + k
  Index        sums;      ///< dirty, as there are empty rows between: where its sums are kept until the repair; else -1
  std::int32_t segments;  ///< rows that have entries here
  bool         continues; ///< the first segment's row began before the tile,
  bool         opens;     ///< and that of the last goes on behind it
};

/// Rows of a dirty tile, as many as a team repairs.
template <class Index> struct DirtyRows {
  Index row, end;
  Index sum; ///< that of the first one which is not empty
};

struct SpecSummary {
  int lanes = 0; ///< of a tile
};

/// A CSR matrix with its tiles; see kernels/kokkos/format.hpp.
template <class Scalar, class Index, class Memory> struct SpecMatrix {
  using S                           = kernels::KokkosScalar<Scalar>;
  template <class T> using Array    = kernels::KokkosArray<T, Memory>;
  static constexpr bool borrows_csr = true;

  SpecSummary                       summary;
  Array<Index>                      row_ptr; ///< [rows + 1]
  Array<Index>                      col;     ///< [nonzeros]
  Array<S>                          val;     ///< [nonzeros]
  Array<SpecTile<Index>>            tile;
  Array<kernels::LaneFlags>         flags; ///< [tiles * lanes] descriptors: where segments begin
  Array<DirtyRows<Index>>           dirty;
  Array<kernels::CutSegment<Index>> cut;
  Array<S>                          sums;       ///< speculative, of dirty tiles
  Array<S>                          head, tail; ///< [tiles] of cut rows; none if there are no such

  SpecMatrix() = default;
  SpecMatrix(const CsrView<Scalar, Index> &a, const OptionValues &options, bool for_device);
  Facts facts() const;

  template <class Visit, class... M> static void each(const Visit &visit, M &...m)
  {
    visit("row pointer", m.row_ptr...);
    visit("columns", m.col...);
    visit("values", m.val...);
    visit("tiles", m.tile...);
    visit("descriptors", m.flags...);
    visit("rows of dirty tiles", m.dirty...);
    visit("cut rows", m.cut...);
    visit("", m.sums...);
    visit("", m.head...);
    visit("", m.tail...);
  }

  std::size_t column_scratch() const { return 2 * static_cast<std::size_t>(summary.lanes) * sizeof(S); }

  template <class Exec, class P> void multiply(const Exec &exec, const kernels::KokkosShape &shape, const P &p) const;
};

/// Stage 1: a team sums the segments of a tile, and puts the sums where the prediction says.
template <class Matrix, class P> struct Speculate {
  using Sum = typename P::Sum;
  Matrix a;
  P      p;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const int   t     = member.league_rank();
    const auto &tile  = a.tile(t);
    const auto  n     = tile.end - tile.begin;
    const int   lanes = a.summary.lanes;
    if (tile.segments == 1) { // the fast track: no segments to keep apart
      for (int group = 0; group < p.groups(); ++group) {
        Sum sum; // an entry of a lane at a time: with several on their way, tiles of all kinds take 64 registers instead of 48
        Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(member, n),
          [&](const int i, Sum &s) { s += kernels::entry_product(a.val(tile.begin + i), p.at(a.col(tile.begin + i), group), p.conjugate); },
          sum);
        Kokkos::single(Kokkos::PerTeam(member), [&] { deliver(t, tile, 0, sum, true, group); });
      }
      return;
    }
    kernels::sum_segments(
      member, lanes, a.flags.data() + std::int64_t(t) * lanes, a.col, a.val, tile.begin, n, p,
      [&](int segment, const Sum &sum, bool to_the_end, int group) { deliver(t, tile, segment, sum, to_the_end, group); });
  }

  template <class Tile> KOKKOS_FUNCTION void deliver(int t, const Tile &tile, int segment, const Sum &sum, bool to_the_end, int group) const
  {
    if (segment == 0 && tile.continues) kernels::kept_sum(p, a.head, t, group) = sum;
    else if (to_the_end && tile.opens) kernels::kept_sum(p, a.tail, t, group) = sum;
    else if (tile.sums >= 0) kernels::kept_sum(p, a.sums, tile.sums + segment, group) = sum;
    else p.update(tile.row + segment, sum, group);
  }
};

/// Stage 2, the repair: sums of dirty tiles go where the row pointer says, one to each row that is not empty.
template <class Matrix, class P> struct Repair {
  Matrix a;
  P      p;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const auto &rows = a.dirty(member.league_rank());
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(member, static_cast<int>(rows.end - rows.row)), [&](const int k, int &rank, bool final) {
      const auto row      = rows.row + k;
      const bool is_empty = a.row_ptr(row) == a.row_ptr(row + 1);
      if (final)
        Kokkos::single(Kokkos::PerThread(member), [&] {
          if (is_empty) p.update.empty(row);
          else
            for (int group = 0; group < p.groups(); ++group) p.update(row, kernels::kept_sum(p, a.sums, rows.sum + rank, group), group);
        });
      rank += !is_empty;
    });
  }
};

template <class Scalar, class Index, class Memory>
template <class Exec, class P>
void SpecMatrix<Scalar, Index, Memory>::multiply(const Exec &exec, const kernels::KokkosShape &shape, const P &p) const
{
  const int  vector = std::max(1, shape.lanes);
  const int  team   = kernels::team_size(exec, shape.team, device_lanes / vector);
  const auto teams  = [&](std::int64_t league, std::size_t scratch) {
    return kernels::league_of_teams(exec, league, team, vector, scratch);
  };
  Kokkos::parallel_for("petscspmv aijspec", teams(tile.extent(0), kernels::segments_bytes(summary.lanes, p)),
                       Speculate<SpecMatrix, P>{*this, p});
  if (cut.extent(0) > 0)
    Kokkos::parallel_for("petscspmv aijspec cut rows", teams(cut.extent(0) << p.shift, 0),
                         kernels::JoinCutRows<P, S, Index, Memory>{cut, head, tail, p});
  if (dirty.extent(0) > 0) Kokkos::parallel_for("petscspmv aijspec repair", teams(dirty.extent(0), 0), Repair<SpecMatrix, P>{*this, p});
}

} // namespace petscspmv::aijspec
