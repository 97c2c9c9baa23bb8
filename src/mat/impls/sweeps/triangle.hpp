#pragma once

/// \file triangle.hpp
/// A strict triangle of a matrix in the order of a schedule, in any memory.

#include <cstddef>
#include <cstdint>

#include "impls/sweeps/analysis_arrays.hpp"
#include "impls/sweeps/solve.hpp"
#include "kernels/kokkos/arrays.hpp"

namespace petscspmv::sweeps {

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

template <class S, class Index, class Memory> struct Triangle : ScheduleArrays<Index, Memory> {
  using Scheduled                = ScheduleArrays<Index, Memory>;
  template <class T> using Array = kernels::KokkosArray<T, Memory>;
  using Scheduled::summary, Scheduled::first, Scheduled::begin, Scheduled::block, Scheduled::others, Scheduled::row, Scheduled::slices;

  Array<Index> slot;            ///< [entries]; these as in TriangleView
  Array<Index> source;          ///< [entries] of the CSR matrix; negative: none
  Array<Index> diagonal_source; ///< [rows]
  Array<S>     value;           ///< [entries]
  Array<S>     diagonal;        ///< [rows]

  /// Without entries: fill() finds them, gather() brings their values.
  explicit Triangle(const Scheduled &schedule) : Scheduled(schedule) { }

  template <class Visit, class... M> static void each(const Visit &visit, M &...m)
  {
    Scheduled::each(visit, m...);
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

  /// Makes all arrays of entries. `slot_of` each row of the pattern.
  template <class Exec> void fill(const Exec &exec, const PatternArrays<Index, Memory> &pattern, const Array<Index> &slot_of)
  {
    const auto n    = static_cast<std::size_t>(summary.entries);
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
