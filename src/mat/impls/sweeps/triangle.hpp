#pragma once

/// \file triangle.hpp
/// A strict triangle of a matrix in the order of a schedule, in any memory.

#include <algorithm>
#include <cstddef>

#include "impls/sweeps/schedule.hpp"
#include "impls/sweeps/solve.hpp"
#include "kernels/kokkos/arrays.hpp"

namespace petscspmv::sweeps {

/// All of a triangle but its arrays.
struct TriangleSummary {
  Side         side        = Side::lower;
  std::int64_t levels      = 0;
  std::int64_t width       = 0; ///< entries of a row that is not long, at most
  std::size_t  block_bytes = 0; ///< of a team's memory for a block, at most
};

/// As in Pattern.
template <class Index> struct PatternView {
  const Index *row_ptr, *col, *diagonal;
  const Index *source; ///< [entries] whose values are wanted; null: they are those of the pattern

  KOKKOS_FUNCTION Index source_of(Index entry) const { return source && entry >= 0 ? source[entry] : entry; }
  KOKKOS_FUNCTION Index begin(Side side, Index r) const { return side == Side::lower ? row_ptr[r] : diagonal[r] + 1; }
  KOKKOS_FUNCTION Index end(Side side, Index r) const { return side == Side::lower ? diagonal[r] : row_ptr[r + 1]; }
};

/// A pattern in any memory.
template <class Index, class Memory> struct PatternArrays {
  kernels::KokkosArray<Index, Memory> row_ptr, col, diagonal;
  kernels::KokkosArray<Index, Memory> source; ///< none: as above

  PatternView<Index> view() const { return {row_ptr.data(), col.data(), diagonal.data(), source.data()}; }
};

/// Teams of a device have a thread for each row of a slice.
template <class Exec> constexpr int team_rows()
{
  return kernels::is_host_space<Exec> ? 1 : tuning::slice_rows;
}

/// There is one for so many of the threads that run at a time.
template <class Exec> auto teams(const Exec &exec, std::int64_t slices, int threads_per_team)
{
  constexpr bool on_host   = kernels::is_host_space<Exec>;
  const int      at_a_time = on_host ? exec.concurrency() : exec.concurrency() / threads_per_team;
  return kernels::league_of_teams(exec, std::min<std::int64_t>(slices, std::max(at_a_time, 1)), team_rows<Exec>(), 1);
}

/// Finds what is where in a triangle: the slot of x for an entry and the source of its value, -1 where a row has ended.
/// The host would take longer for that than for all else that sweeps need.
template <class Index> struct FillEntries {
  PatternView<Index>  pattern;
  Side                side;
  Index               slices;
  const Index        *first;
  const std::int64_t *begin;
  const Index        *row, *slot_of;
  Index              *slot, *source, *diagonal_source;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    for (Index s = member.league_rank(); s < slices; s += member.league_size()) {
      const int  rows = static_cast<int>(first[s + 1] - first[s]), rank = member.team_rank(), size = member.team_size();
      const bool together = rows == 1; // which may be a long row
      for (int q = together ? 0 : rank; q < rows; q += together ? 1 : size) {
        const Index r = row[first[s] + q], from = pattern.begin(side, r), length = pattern.end(side, r) - from;
        for (std::int64_t k = together ? rank : 0, to; (to = begin[s] + k * rows + q) < begin[s + 1]; k += together ? size : 1) {
          slot[to]   = k < length ? slot_of[pattern.col[from + k]] : Index(-1);
          source[to] = pattern.source_of(k < length ? static_cast<Index>(from + k) : Index(-1));
        }
        if (!together || rank == 0) diagonal_source[first[s] + q] = pattern.source_of(pattern.diagonal[r]);
      }
    }
  }
};

/// The same with blocks, one after the other.
template <class Index> struct FillBlocks {
  PatternView<Index>       pattern;
  Side                     side;
  const BlockBegin<Index> *block;
  const Index             *first;
  const std::int64_t      *begin, *others;
  const Index             *row, *slot_of;
  Index                   *slot, *source, *diagonal_source;

  template <class Member> KOKKOS_FUNCTION void operator()(const Member &member) const
  {
    const BlockBegin<Index> from = block[member.league_rank()], to = block[member.league_rank() + 1];
    for (Index s = from.slice; s < to.slice; ++s) {
      const int rows = static_cast<int>(first[s + 1] - first[s]);
      for (int q = member.team_rank(); q < rows; q += member.team_size()) {
        const Index  r   = row[first[s] + q];
        std::int64_t own = begin[s] + q, other = others[first[s] + q];
        for (Index i = pattern.begin(side, r); i < pattern.end(side, r); ++i) {
          const Index  there = slot_of[pattern.col[i]];
          std::int64_t at    = other;
          if (there >= from.slot && there < to.slot) {
            at = own;
            own += rows;
          } else ++other;
          slot[at]   = there;
          source[at] = pattern.source_of(i);
        }
        for (; own < begin[s + 1]; own += rows) slot[own] = source[own] = -1;
        diagonal_source[first[s] + q] = pattern.source_of(pattern.diagonal[r]);
      }
    }
  }
};

template <class S, class Index, class Memory> struct Triangle {
  template <class T> using Array = kernels::KokkosArray<T, Memory>;

  TriangleSummary          summary;
  Array<Index>             first;           ///< [slices + 1]; these as in TriangleView
  Array<std::int64_t>      begin;           ///< [slices + 1]
  Array<BlockBegin<Index>> block;           ///< [blocks + 1]; none: rows wait
  Array<std::int64_t>      others;          ///< [rows + 1], or none
  Array<Index>             row;             ///< [rows]
  Array<Index>             slot;            ///< [entries]
  Array<Index>             source;          ///< [entries] of the CSR matrix; negative: none
  Array<Index>             diagonal_source; ///< [rows]
  Array<S>                 value;           ///< [entries]
  Array<S>                 diagonal;        ///< [rows]

  Triangle() = default;

  /// In host memory, without entries: fill() finds them, gather() brings their values. `borrows`: the schedule's arrays,
  /// which must stay.
  Triangle(const Schedule<Index> &schedule, bool borrows)
  {
    const auto take = [borrows]<class Vector>(const Vector &from) {
      return borrows ? kernels::borrowed_array<Memory>(from.data(), from.size()) : kernels::host_array(from);
    };
    first               = take(schedule.first);
    begin               = take(schedule.begin);
    block               = kernels::host_array(schedule.block_begins());
    others              = take(schedule.others);
    row                 = take(schedule.row);
    summary.side        = schedule.side;
    summary.levels      = schedule.levels;
    summary.block_bytes = schedule.most_block_bytes(sizeof(S));
    for (std::size_t s = 0; s < schedule.slices(); ++s) {
      const std::int64_t width = (begin(s + 1) - begin(s)) / (first(s + 1) - first(s));
      if (width <= tuning::long_row) summary.width = std::max(summary.width, width);
    }
  }

  template <class Visit, class... M> static void each(const Visit &visit, M &...m)
  {
    visit("slices", m.first...);
    visit("begins of slices", m.begin...);
    visit("blocks", m.block...);
    visit("entries of other blocks", m.others...);
    visit("rows", m.row...);
    visit("slots", m.slot...);
    visit("sources", m.source...);
    visit("sources of the diagonal", m.diagonal_source...);
    visit("values", m.value...);
    visit("diagonal", m.diagonal...);
  }

  TriangleView<S, Index> view() const
  {
    return {slices(),        first.data(), begin.data(), row.data(),
            diagonal.data(), slot.data(),  value.data(), others.extent(0) > 0 ? others.data() : nullptr};
  }
  Index slices() const { return static_cast<Index>(first.extent(0)) - 1; }

  /// Makes all arrays of entries. `slot_of` each row of the pattern.
  template <class Exec>
  void fill(const Exec &exec, const PatternArrays<Index, Memory> &pattern, const Array<Index> &slot_of, std::int64_t entries)
  {
    const auto n    = static_cast<std::size_t>(entries);
    slot            = kernels::new_array<Index, Memory>(n);
    source          = kernels::new_array<Index, Memory>(n);
    value           = kernels::new_array<S, Memory>(n);
    diagonal_source = kernels::new_array<Index, Memory>(row.extent(0));
    diagonal        = kernels::new_array<S, Memory>(row.extent(0));
    if (slices() == 0) return;
    if (const auto blocks = static_cast<std::int64_t>(block.extent(0)) - 1; blocks > 0) {
      Kokkos::parallel_for("petscspmv entries", kernels::league_of_teams(exec, blocks, team_rows<Exec>(), 1),
                           FillBlocks<Index>{pattern.view(), summary.side, block.data(), first.data(), begin.data(), others.data(),
                                             row.data(), slot_of.data(), slot.data(), source.data(), diagonal_source.data()});
      return;
    }
    Kokkos::parallel_for("petscspmv entries", teams(exec, slices(), tuning::slice_rows),
                         FillEntries<Index>{pattern.view(), summary.side, slices(), first.data(), begin.data(), row.data(), slot_of.data(),
                                            slot.data(), source.data(), diagonal_source.data()});
  }

  /// Copies the entries of the CSR matrix, in this memory, to their places.
  template <class Exec> void gather(const Exec &exec, const Array<S> &entry) const
  {
    const auto take = [&](const Array<Index> &from, const Array<S> &to) {
      Kokkos::parallel_for("petscspmv values", kernels::indices(exec, from.extent(0)),
                           kernels::GatherValues<S, Index, Memory>{from, entry, to});
    };
    take(source, value);
    take(diagonal_source, diagonal);
  }
};

} // namespace petscspmv::sweeps
