#pragma once

/// \file ccoo_kokkos.hpp
/// Balanced and compressed coordinates (Aliaga et al. 2020) in three kinds of pieces, for whatever Kokkos runs on.
///
/// - A unit is 128 rows that look alike from the diagonal: a list of slots, each the offset (column - row) of some
///   entry and the rows that have it. Units that look the same share the list. Values are with the list, one for each
///   slot, or slot by slot and row by row.
/// - A slice is 32 nodes, rows with the same columns, of as many rows each: slot by slot the columns, once for all rows
///   of a node, and the values. Nodes are sorted by length within some slices.
/// - A chunk is equally many consecutive entries of long rows, the paper's form; bit flags say where rows begin.
///
/// The vector lanes of a thread take neighbouring rows of a unit, neighbouring nodes of a slice, or neighbouring
/// entries of a chunk.

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/csr_view.hpp"
#include "core/format.hpp"
#include "kernels/kokkos/kernel.hpp"
#include "kernels/kokkos/segments.hpp"
#include "kernels/kokkos/values.hpp"

namespace petscspmv::ccoo::kokkos {

using Local = std::int32_t;

/// Lanes that have a unit or a slice; rows of a unit for each of them; and rows of a node at most.
inline constexpr int lanes = 32, rows_per_lane = 4, unit_rows = lanes * rows_per_lane, most_node_rows = 4;

/// Lanes that have a chunk where there is a device.
inline constexpr int chunk_lanes = 128;

struct Pattern {
  std::uint32_t first_slot, slots;
  std::uint32_t full; ///< slots that all rows have; they come first
};

struct Unit {
  Local         row;
  std::uint32_t pattern;
  std::int64_t  value; ///< number of its first one, if they are not with the pattern
};

struct Slice {
  std::int64_t column, value; ///< numbers of the first ones
  Local        least;         ///< of its columns, which are written as offsets from it
  std::uint8_t node_rows;
  bool         wide; ///< offsets have 32 bits, not 16
};

struct Chunk {
  std::int64_t first; ///< entry, among those of all chunks
  std::int64_t segment;
  std::int32_t entries;
  std::int32_t segments;
  bool         continues, opens;
};

struct Summary {
  Local        rows        = 0;
  std::int64_t by_slot     = 0; ///< units that have their values with their patterns; they come first
  int          chunk_lanes = 0;
};

template <class S, class Memory> struct Arrays {
  template <class T> using Array = kernels::KokkosArray<T, Memory>;

  Summary                           summary;
  Array<Unit>                       unit;
  Array<Pattern>                    pattern;
  Array<Local>                      slot_offset;
  Array<std::uint32_t>              slot_rows;  ///< [slots * rows_per_lane] bit l of word j: row j * lanes + l has it
  Array<S>                          slot_value; ///< [slots]
  Array<Slice>                      slice;
  Array<Local>                      node_row;    ///< [slices * lanes] first row of each node; -1 for none
  Array<std::int32_t>               node_length; ///< [slices * lanes] entries of a row
  Array<std::uint16_t>              column16;
  Array<Local>                      column32;
  kernels::KokkosValues<S, Memory>  value; ///< of units, then of slices
  Array<Chunk>                      chunk;
  Array<kernels::LaneFlags>         flags;       ///< [chunks * chunk_lanes]
  Array<Local>                      segment_row; ///< of each segment of each chunk
  Array<Local>                      chunk_column;
  kernels::KokkosValues<S, Memory>  chunk_value;
  Array<kernels::CutSegment<Local>> cut;
  Array<S>                          head, tail; ///< [chunks] parts of cut rows

  template <class Visit, class... M> static void each(const Visit &visit, M &...m)
  {
    visit("units", m.unit...);
    visit("patterns", m.pattern...);
    visit("offsets of slots", m.slot_offset...);
    visit("rows of slots", m.slot_rows...);
    visit("values of slots", m.slot_value...);
    visit("slices", m.slice...);
    visit("rows of nodes", m.node_row...);
    visit("lengths of nodes", m.node_length...);
    visit("columns of 16 bits", m.column16...);
    visit("columns of 32 bits", m.column32...);
    visit("values", m.value.number...);
    visit("places in the table", m.value.code...);
    visit("rounded values", m.value.rounded...);
    visit("chunks", m.chunk...);
    visit("bit flags", m.flags...);
    visit("rows of chunks", m.segment_row...);
    visit("columns of chunks", m.chunk_column...);
    visit("values of chunks", m.chunk_value.number...);
    visit("places of chunks in the table", m.chunk_value.code...);
    visit("rounded values of chunks", m.chunk_value.rounded...);
    visit("cut rows", m.cut...);
    visit("", m.head...);
    visit("", m.tail...);
  }

  std::size_t column_scratch() const { return 2 * static_cast<std::size_t>(summary.chunk_lanes) * sizeof(S); }

  template <class Exec, class P> void multiply(const Exec &exec, const kernels::KokkosShape &shape, const P &p) const;
};

/// See kernels/kokkos/format.hpp.
template <class Scalar, class Index, class Memory> struct Matrix : Arrays<kernels::KokkosScalar<Scalar>, Memory> {
  static constexpr bool borrows_csr = false;

  Matrix() = default;
  Matrix(const CsrView<Scalar, Index> &a, const OptionValues &options, bool for_device);
  Facts facts() const;
};

/// Things that the vector lanes of a thread have to themselves: number `first` and those that follow.
template <class Member, class Work> KOKKOS_FUNCTION void each_thread(const Member &member, std::int64_t n, const Work &work)
{
  const std::int64_t first = std::int64_t(member.league_rank()) * member.team_size();
  Kokkos::parallel_for(Kokkos::TeamThreadRange(member, member.team_size()), [&](const int k) {
    if (first + k < n) work(first + k);
  });
}

/// Calls work(lane, group) for each lane and each group of columns: neighbouring lanes have the groups of a row.
template <class Member, class P, class Work> KOKKOS_FUNCTION void each_lane(const Member &member, const P &p, const Work &work)
{
  Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, lanes << p.shift), [&](const int i) { work(i >> p.shift, i & (p.groups() - 1)); });
}

/// Units first .. first + n - 1. `stores`: for y = A x, where sums need no more than to be written.
template <bool by_slot, bool stores, class S, class Memory, class P> struct SumUnits {
  using Sum = typename P::Sum;
  Arrays<S, Memory> a;
  P                 p;
  std::int64_t      first, n;

  /// So many slots at a time, so that their x are in flight together.
  static constexpr int together = 2;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    each_thread(member, n, [&](const std::int64_t u) {
      const Unit    unit    = a.unit(first + u);
      const Pattern pattern = a.pattern(unit.pattern);
      each_lane(member, p, [&](const int lane, const int group) {
        Sum           sum[rows_per_lane] = {};
        std::uint32_t slot               = 0;
        for (; slot + together <= pattern.full; slot += together) add<together, true>(unit, pattern, slot, lane, group, sum);
        for (; slot < pattern.full; ++slot) add<1, true>(unit, pattern, slot, lane, group, sum);
        for (; slot + together <= pattern.slots; slot += together) add<together, false>(unit, pattern, slot, lane, group, sum);
        for (; slot < pattern.slots; ++slot) add<1, false>(unit, pattern, slot, lane, group, sum);
        for (int j = 0; j < rows_per_lane; ++j) {
          const Local row = unit.row + lane + j * lanes;
          if (row >= a.summary.rows) continue;
          if constexpr (stores) p.update.y[row] = sum[j] + S(0);
          else p.update(row, sum[j], group);
        }
      });
    });
  }

  template <int n_slots, bool full>
  KOKKOS_FUNCTION void add(const Unit &unit, const Pattern &pattern, std::uint32_t slot, int lane, int group, Sum *sum) const
  {
    Sum                 x[n_slots][rows_per_lane];
    S                   v[n_slots][rows_per_lane];
    const std::uint32_t first_slot = pattern.first_slot + slot;
    for (int k = 0; k < n_slots; ++k) {
      const Local column = unit.row + a.slot_offset(first_slot + k) + lane;
      for (int j = 0; j < rows_per_lane; ++j) {
        const bool has = full || (a.slot_rows((first_slot + k) * rows_per_lane + j) >> lane & 1);
        x[k][j]        = has ? p.at(column + j * lanes, group) : Sum();
        if constexpr (by_slot) v[k][j] = has ? a.slot_value(first_slot + k) : S(0);
        else v[k][j] = has ? a.value(unit.value + std::int64_t(slot + k) * unit_rows + std::int64_t(j) * lanes + lane) : S(0);
      }
    }
    for (int k = 0; k < n_slots; ++k)
      for (int j = 0; j < rows_per_lane; ++j) sum[j] += kernels::entry_product(v[k][j], x[k][j], p.conjugate);
  }
};

template <class S, class Memory, class P> struct SumSlices {
  using Sum = typename P::Sum;
  Arrays<S, Memory> a;
  P                 p;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    each_thread(member, a.slice.extent(0), [&](const std::int64_t s) {
      const Slice slice = a.slice(s);
      each_lane(member, p, [&](const int lane, const int group) {
        const Local        row    = a.node_row(s * lanes + lane);
        const std::int32_t length = a.node_length(s * lanes + lane);
        if (row < 0) return;
        switch (slice.node_rows) {
        case 1:
          return sum_node<1>(slice, lane, group, row, length);
        case 2:
          return sum_node<2>(slice, lane, group, row, length);
        case 3:
          return sum_node<3>(slice, lane, group, row, length);
        default:
          return sum_node<most_node_rows>(slice, lane, group, row, length);
        }
      });
    });
  }

  template <int rows> KOKKOS_FUNCTION void sum_node(const Slice &slice, int lane, int group, Local row, std::int32_t length) const
  {
    Sum          sum[rows] = {};
    std::int32_t k         = 0;
    for (; k + 4 <= length; k += 4) add<rows, 4>(slice, k, lane, group, sum);
    for (; k < length; ++k) add<rows, 1>(slice, k, lane, group, sum);
    for (int i = 0; i < rows; ++i) p.update(row + i, sum[i], group);
  }

  template <int rows, int n> KOKKOS_FUNCTION void add(const Slice &slice, std::int32_t slot, int lane, int group, Sum *sum) const
  {
    Sum x[n];
    for (int k = 0; k < n; ++k) {
      const std::int64_t at = slice.column + std::int64_t(slot + k) * lanes + lane;
      x[k]                  = p.at(slice.least + (slice.wide ? a.column32(at) : Local(a.column16(at))), group);
    }
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < rows; ++i) {
        const std::int64_t at = slice.value + (std::int64_t(slot + k) * rows + i) * lanes + lane;
        sum[i] += kernels::entry_product(a.value(at), x[k], p.conjugate);
      }
  }
};

template <class S, class Memory, class P> struct SumChunks {
  using Sum = typename P::Sum;
  Arrays<S, Memory> a;
  P                 p;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const int    c     = member.league_rank();
    const Chunk &chunk = a.chunk(c);
    kernels::sum_segments(member, a.summary.chunk_lanes, a.flags.data() + std::int64_t(c) * a.summary.chunk_lanes, a.chunk_column,
                          a.chunk_value, chunk.first, std::int64_t(chunk.entries), p,
                          [&](int segment, const Sum &sum, bool to_the_end, int group) {
                            if (segment == 0 && chunk.continues) kernels::kept_sum(p, a.head, c, group) = sum;
                            else if (to_the_end && chunk.opens) kernels::kept_sum(p, a.tail, c, group) = sum;
                            else p.update(a.segment_row(chunk.segment + segment), sum, group);
                          });
  }
};

template <class S, class Memory>
template <class Exec, class P>
void Arrays<S, Memory>::multiply(const Exec &exec, const kernels::KokkosShape &shape, const P &p) const
{
  const int  vector = kernels::is_host_space<Exec> ? std::max(1, shape.lanes) : lanes;
  const int  team   = kernels::team_size(exec, shape.team, 128 / vector);
  const auto teams  = [&](std::int64_t n) { return kernels::league_of_teams(exec, (n + team - 1) / team, team, vector); };
  const auto units  = [&]<bool by_slot>(std::bool_constant<by_slot>, std::int64_t first, std::int64_t n) {
    if (n == 0) return;
    if constexpr (P::has_one)
      if (p.update.stores())
        return Kokkos::parallel_for("petscspmv ccoo units", teams(n), SumUnits<by_slot, true, S, Memory, P>{*this, p, first, n});
    Kokkos::parallel_for("petscspmv ccoo units", teams(n), SumUnits<by_slot, false, S, Memory, P>{*this, p, first, n});
  };
  units(std::true_type(), 0, summary.by_slot);
  units(std::false_type(), summary.by_slot, static_cast<std::int64_t>(unit.extent(0)) - summary.by_slot);
  if (slice.extent(0) > 0) Kokkos::parallel_for("petscspmv ccoo slices", teams(slice.extent(0)), SumSlices<S, Memory, P>{*this, p});
  if (chunk.extent(0) == 0) return;
  const int  chunk_team   = kernels::team_size(exec, shape.team, chunk_lanes);
  const auto chunk_policy = [&](std::int64_t n, std::size_t scratch) { return kernels::league_of_teams(exec, n, chunk_team, 1, scratch); };
  Kokkos::parallel_for("petscspmv ccoo chunks", chunk_policy(chunk.extent(0), kernels::segments_bytes(summary.chunk_lanes, p)),
                       SumChunks<S, Memory, P>{*this, p});
  kernels::join_cut_rows(exec, cut, head, tail, p);
}

} // namespace petscspmv::ccoo::kokkos
