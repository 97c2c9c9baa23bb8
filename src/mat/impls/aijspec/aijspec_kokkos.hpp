#pragma once

/// \file aijspec_kokkos.hpp
/// Speculative segmented sum (Liu & Vinter 2015, algorithm 1) for whatever Kokkos runs on.

#include <string>

#include "core/csr_view.hpp"
#include "core/format.hpp"
#include "kernels/kokkos_kernel.hpp"
#include "kernels/kokkos_segments.hpp"

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

/// A CSR matrix with its tiles; see kernels/kokkos_format.hpp.
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
  void  borrow(const CsrView<Scalar, Index> &a);
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

  template <class Visit> void for_each_entry(const Visit &visit) const
  {
    for (Index r = 0; r + 1 < static_cast<Index>(row_ptr.extent(0)); ++r)
      for (Index i = row_ptr(r); i < row_ptr(r + 1); ++i) visit(r, col(i), Scalar(val(i)));
  }

  template <class Exec> void multiply(const Exec &exec, const kernels::KokkosShape &shape, const kernels::KokkosProduct<S> &p) const;
};

/// Stage 1: a team sums the segments of a tile, and puts the sums where the prediction says.
template <class Scalar, class Index, class Memory> struct Speculate {
  using S = kernels::KokkosScalar<Scalar>;
  SpecMatrix<Scalar, Index, Memory> a;
  kernels::KokkosProduct<S>         p;

  static std::size_t scratch(int lanes)
  {
    return static_cast<std::size_t>(lanes) * lane_entries * sizeof(S) + alignof(S) + kernels::lane_sums_bytes<S>(lanes);
  }

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const int              t    = member.league_rank();
    const SpecTile<Index> &tile = a.tile(t);
    const Index            n    = tile.end - tile.begin;
    if (tile.segments == 1) { // the fast track: no segments to keep apart
      const S sum = kernels::sum_of_entries(Kokkos::TeamVectorRange(member, n), a.col, a.val, tile.begin, p);
      Kokkos::single(Kokkos::PerTeam(member), [&] { deliver(t, tile, 0, sum, true); });
      return;
    }
    const int lanes   = static_cast<int>((n + lane_entries - 1) / lane_entries);
    S *const  product = kernels::team_scratch<S>(member, a.summary.lanes * lane_entries);
    S *const  sums    = kernels::team_scratch<S>(member, 2 * a.summary.lanes);
    kernels::bring_products(member, lanes, a.col, a.val, tile.begin, n, p, product);
    member.team_barrier();
    kernels::segmented_sum<lane_entries>(
      member, lanes, a.flags.data() + std::int64_t(t) * a.summary.lanes, sums, [&](int i) { return product[i]; },
      [&](int segment, S sum, bool to_the_end) { deliver(t, tile, segment, sum, to_the_end); });
  }

  KOKKOS_FUNCTION void deliver(int t, const SpecTile<Index> &tile, int segment, S sum, bool to_the_end) const
  {
    if (segment == 0 && tile.continues) a.head(t) = sum;
    else if (to_the_end && tile.opens) a.tail(t) = sum;
    else if (tile.sums >= 0) a.sums(tile.sums + segment) = sum;
    else p.update(tile.row + segment, sum);
  }
};

/// Stage 2, the repair: sums of dirty tiles go where the row pointer says, one to each row that is not empty.
template <class Scalar, class Index, class Memory> struct Repair {
  using S = kernels::KokkosScalar<Scalar>;
  SpecMatrix<Scalar, Index, Memory> a;
  kernels::KokkosProduct<S>         p;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const DirtyRows<Index> &rows = a.dirty(member.league_rank());
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(member, static_cast<int>(rows.end - rows.row)), [&](const int k, int &rank, bool final) {
      const Index row      = rows.row + k;
      const bool  is_empty = a.row_ptr(row) == a.row_ptr(row + 1);
      if (final)
        Kokkos::single(Kokkos::PerThread(member), [&] {
          if (is_empty) p.update.empty(row);
          else p.update(row, a.sums(rows.sum + rank));
        });
      rank += !is_empty;
    });
  }
};

template <class Scalar, class Index, class Memory>
template <class Exec>
void SpecMatrix<Scalar, Index, Memory>::multiply(const Exec &exec, const kernels::KokkosShape &shape,
                                                 const kernels::KokkosProduct<S> &p) const
{
  using Kernel      = Speculate<Scalar, Index, Memory>;
  const int  vector = std::max(1, shape.lanes);
  const int  team   = kernels::team_size(exec, shape.team, device_lanes / vector);
  const auto teams  = [&](const auto &of, std::size_t scratch) {
    return kernels::league_of_teams(exec, of.extent(0), team, vector, scratch);
  };
  Kokkos::parallel_for("petscspmv aijspec", teams(tile, Kernel::scratch(summary.lanes)), Kernel{*this, p});
  if (cut.extent(0) > 0)
    Kokkos::parallel_for("petscspmv aijspec cut rows", teams(cut, 0), kernels::JoinCutRows<S, Index, Memory>{cut, head, tail, p.update});
  if (dirty.extent(0) > 0) Kokkos::parallel_for("petscspmv aijspec repair", teams(dirty, 0), Repair<Scalar, Index, Memory>{*this, p});
}

} // namespace petscspmv::aijspec
