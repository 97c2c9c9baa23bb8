#pragma once

/// \file bccoo_kokkos.hpp
/// Blocked compressed coordinates (yaSpMV, Zhang et al. 2016) for whatever Kokkos runs on.
///
/// Small dense blocks follow one another, block row by block row; a bit flag says where a block row begins. A tile is
/// the work of a team: all of its lanes have equally many blocks, and sums of block rows are put together by the
/// matrix-based segmented sum, each lane's blocks being a row of that matrix.

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/csr_view.hpp"
#include "core/format.hpp"
#include "impls/bccoo/bccoo_layout.hpp"
#include "kernels/coding/options.hpp"
#include "kernels/kokkos/kernel.hpp"
#include "kernels/kokkos/segments.hpp"
#include "kernels/kokkos/values.hpp"

namespace petscspmv::bccoo::kokkos {

/// Blocks of a tile where there is a device, and of a lane, by the rows of a block.
inline constexpr int device_blocks = 256;
constexpr int        lane_blocks(int h)
{
  return h < 4 ? 4 : 2;
}

struct Tile {
  std::int64_t slot;    ///< of its first block; neighbouring lanes have neighbouring slots
  std::int64_t segment; ///< its first block row, in `block_row`
  std::int32_t blocks;
  std::int32_t lanes;     ///< that have some
  Local        least;     ///< of its block columns, which are written as offsets from it
  bool         wide;      ///< offsets have 32 bits, not 16
  bool         full;      ///< all numbers of its blocks are entries
  bool         continues; ///< the first block row began before the tile,
  bool         opens;     ///< and the last goes on behind it
  std::int64_t column;    ///< of its first slot, among those of 16 or of 32 bits
};

struct Summary {
  Local rows = 0, cols = 0;
  int   h = 1, w = 1; ///< rows and columns of a block
  int   lanes      = 0;
  int   mask_words = 1; ///< of a block

  std::int64_t blocks = 0, zeros = 0; ///< values that are no entries
};

/// The sums of a block row.
template <class Sum, int h> struct BlockSums {
  Sum sum[h] = {};

  KOKKOS_FUNCTION BlockSums &operator+=(const BlockSums &other)
  {
    for (int i = 0; i < h; ++i) sum[i] += other.sum[i];
    return *this;
  }
};

template <class S, class Memory> struct Arrays {
  template <class T> using Array = kernels::KokkosArray<T, Memory>;
  using Scalar                   = S;

  Summary                           summary;
  Array<Tile>                       tile;
  Array<kernels::LaneFlags>         flags;     ///< [tiles * lanes]
  Array<Local>                      block_row; ///< of each segment of each tile
  Array<std::uint16_t>              column16;
  Array<Local>                      column32;
  Array<std::uint16_t>              mask; ///< [slots * mask_words] bit e: number e of the block, column by column, is an entry
  kernels::KokkosValues<S, Memory>  value;
  Array<Local>                      empty; ///< block rows without blocks
  Array<kernels::CutSegment<Local>> cut;
  Array<S>                          head, tail; ///< [h * tiles] parts of cut block rows

  template <class Visit, class... M> static void each(const Visit &visit, M &...m)
  {
    visit("tiles", m.tile...);
    visit("bit flags", m.flags...);
    visit("block rows", m.block_row...);
    visit("block columns of 16 bits", m.column16...);
    visit("block columns of 32 bits", m.column32...);
    visit("masks", m.mask...);
    visit("values", m.value.number...);
    visit("places in the table", m.value.code...);
    visit("empty block rows", m.empty...);
    visit("cut rows", m.cut...);
    visit("", m.head...);
    visit("", m.tail...);
  }

  std::size_t column_scratch() const { return 2 * static_cast<std::size_t>(summary.lanes) * summary.h * sizeof(S); }

  template <class Exec, class P> void multiply(const Exec &exec, const kernels::KokkosShape &shape, const P &p) const;

  /// Where block k of lane l of a tile is, number e of a block there, and its first column.
  KOKKOS_FUNCTION static std::int64_t place(const Tile &t, int l, int k) { return std::int64_t(k) * t.lanes + l; }
  KOKKOS_FUNCTION std::int64_t value_at(const Tile &t, int l, int k, int e) const
  {
    const int size = summary.h * summary.w;
    return t.slot * size + (std::int64_t(k) * size + e) * t.lanes + l;
  }
  KOKKOS_FUNCTION Local column(const Tile &t, std::int64_t place) const
  {
    const Local block_column = t.least + (t.wide ? column32(t.column + place) : Local(column16(t.column + place)));
    return first_column(block_column, summary.w, summary.cols);
  }
  KOKKOS_FUNCTION bool has(const Tile &t, std::int64_t place, int e) const
  {
    return t.full || (mask((t.slot + place) * summary.mask_words + e / 16) >> e % 16 & 1);
  }
};

/// See kernels/kokkos/format.hpp.
template <class Scalar, class Index, class Memory> struct Matrix : Arrays<kernels::KokkosScalar<Scalar>, Memory> {
  using Base                        = Arrays<kernels::KokkosScalar<Scalar>, Memory>;
  static constexpr bool borrows_csr = false;

  kernels::KokkosArray<Index, Memory> source;

  Matrix() = default;
  Matrix(const CsrView<Scalar, Index> &a, const OptionValues &options, bool for_device, int threads);
  Facts facts() const;

  /// On a device, only if a table is asked for: codes are made of values that come back to the host for it, and those
  /// of stencils of constants, for which there is ccoo, gain a fifth at best. H100, cold: 5 points 119 us raw, 94
  /// coded; 27 points 302 and 279.
  static bool codes(const OptionValues &options, bool for_device)
  {
    return kernels::may_code(options) && (!for_device || options[kernels::values_option]);
  }

  template <class Visit, class... M> static void each(const Visit &visit, M &...m)
  {
    Base::each(visit, m...);
    visit("sources of values", m.source...);
  }
};

/// A team for each tile of blocks of h rows, and of w columns; 0: of any width.
template <int h, int w, class Arrays, class P> struct SumBlocks {
  static constexpr int W = lane_blocks(h);

  using Sum  = typename P::Sum;
  using Sums = BlockSums<Sum, h>;
  using S    = typename Arrays::Scalar;
  Arrays a;
  P      p;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const int   t       = member.league_rank();
    const Tile  tile    = a.tile(t);
    Sums *const scratch = kernels::team_scratch<Sums>(member, 2 * a.summary.lanes << p.shift);
    kernels::segmented_sum<W>(
      member, tile.lanes, p.shift, a.flags.data() + std::int64_t(t) * a.summary.lanes, scratch,
      [&](int l, int group, Sums(&own)[W]) { blocks(tile, l, group, own); },
      [&](int segment, const Sums &sums, bool to_the_end, int group) {
        if (segment == 0 && tile.continues) keep(a.head, t, sums, group);
        else if (to_the_end && tile.opens) keep(a.tail, t, sums, group);
        else {
          const Local row = a.block_row(tile.segment + segment) * h;
          for (int i = 0; i < h; ++i)
            if (row + i < a.summary.rows) p.update(row + i, sums.sum[i], group);
        }
      });
  }

  /// The blocks of a lane times their parts of x.
  KOKKOS_FUNCTION void blocks(const Tile &tile, int l, int group, Sums (&own)[W]) const
  {
    if constexpr (w > 0) {
      const bool coded = a.value.is_coded();
      if (tile.full) coded ? squares<true, true>(tile, l, group, own) : squares<true, false>(tile, l, group, own);
      else coded ? squares<false, true>(tile, l, group, own) : squares<false, false>(tile, l, group, own);
    }
    for (int k = 0; k < W; ++k) {
      const bool there = l * W + k < tile.blocks;
      if (w == 0 || !there) own[k] = there ? block(tile, l, k, group) : Sums();
    }
  }

  /// Squares, without a condition between loads, so that many are on their way. Where there is no block, there are
  /// numbers.
  template <bool full, bool coded> KOKKOS_FUNCTION void squares(const Tile &tile, int l, int group, Sums (&own)[W]) const
  {
    for (int k = 0; k < W; ++k) {
      const std::int64_t place  = a.place(tile, l, k);
      const Local        column = a.column(tile, place);
      S                  value[h * w];
      Sum                x[w];
      for (int e = 0; e < h * w; ++e) {
        const std::int64_t at = a.value_at(tile, l, k, e);
        value[e]              = coded ? a.value.number(a.value.code(at)) : a.value.number(at);
      }
      for (int j = 0; j < w; ++j) x[j] = p.at(column + j, group);
      own[k] = Sums();
      for (int e = 0; e < h * w; ++e)
        if (full || a.has(tile, place, e)) own[k].sum[e % h] += kernels::entry_product(value[e], x[e / h], p.conjugate);
    }
  }

  /// A block times its part of x, which meets no number that is not an entry.
  KOKKOS_FUNCTION Sums block(const Tile &tile, int l, int k, int group) const
  {
    const std::int64_t place  = a.place(tile, l, k);
    const Local        column = a.column(tile, place);
    Sums               sums;
    for (int j = 0; j < a.summary.w; ++j) {
      const Sum x = p.at(column + j, group);
      for (int i = 0; i < h; ++i) {
        const int e = j * h + i;
        if (a.has(tile, place, e)) sums.sum[i] += kernels::entry_product(a.value(a.value_at(tile, l, k, e)), x, p.conjugate);
      }
    }
    return sums;
  }

  template <class Parts> KOKKOS_FUNCTION void keep(const Parts &parts, int t, const Sums &sums, int group) const
  {
    for (int i = 0; i < h; ++i) kernels::kept_sum(p, parts, i * static_cast<std::int64_t>(a.tile.extent(0)) + t, group) = sums.sum[i];
  }
};

/// Rows of block rows without blocks.
template <class Arrays, class Update> struct EmptyBlockRows {
  Arrays a;
  Update update;

  KOKKOS_FUNCTION void operator()(int k) const
  {
    for (Local row = a.empty(k) * a.summary.h, end = row + a.summary.h; row < end && row < a.summary.rows; ++row) update.empty(row);
  }
};

template <class S, class Memory>
template <class Exec, class P>
void Arrays<S, Memory>::multiply(const Exec &exec, const kernels::KokkosShape &shape, const P &p) const
{
  const int  vector = std::max(1, shape.lanes);
  const int  team   = kernels::team_size(exec, shape.team, device_blocks / lane_blocks(summary.h) / vector);
  const auto blocks = [&]<int h>(std::integral_constant<int, h>) {
    if (summary.h != h) return;
    const auto sum = [&](const auto &kernel) {
      const std::size_t scratch = kernels::lane_sums_bytes<BlockSums<typename P::Sum, h>>(summary.lanes << p.shift);
      Kokkos::parallel_for("petscspmv bccoo", kernels::league_of_teams(exec, tile.extent(0), team, vector, scratch), kernel);
    };
    constexpr int w = h <= longest_square ? h : 0;
    if (summary.w == w) sum(SumBlocks<h, w, Arrays, P>{*this, p});
    else sum(SumBlocks<h, 0, Arrays, P>{*this, p});
  };
  [&]<int... k>(std::integer_sequence<int, k...>)
  {
    (blocks(std::integral_constant<int, k + 1>()), ...);
  }
  (std::make_integer_sequence<int, longest_side>());
  kernels::join_cut_rows(exec, cut, head, tail, p);
  if (empty.extent(0) > 0)
    Kokkos::parallel_for("petscspmv bccoo empty rows", Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, empty.extent(0)),
                         EmptyBlockRows<Arrays, decltype(p.update)>{*this, p.update});
}

} // namespace petscspmv::bccoo::kokkos
