#pragma once

/// \file analysis_arrays.hpp
/// What sweeps and factors take of an analysis, in the memory where they work.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/csr_view.hpp"
#include "impls/sweeps/schedule.hpp"
#include "impls/sweeps/sweeps_tuning.hpp"
#include "kernels/kokkos/resident.hpp"

namespace petscspmv::sweeps {

/// As in Pattern.
template <class Index> struct PatternView {
  const Index *row_ptr, *col, *diagonal;
  const Index *source; ///< [entries] whose values are wanted; below 0: see MadePattern; null: those of the pattern

  KOKKOS_FUNCTION Index source_of(Index entry) const { return source && entry >= 0 ? source[entry] : entry; }
  KOKKOS_FUNCTION Index begin(Side side, Index r) const { return side == Side::lower ? row_ptr[r] : diagonal[r] + 1; }
  KOKKOS_FUNCTION Index end(Side side, Index r) const { return side == Side::lower ? diagonal[r] : row_ptr[r + 1]; }
  KOKKOS_FUNCTION Index length(Side side, Index r) const { return end(side, r) - begin(side, r); }
};

/// A pattern in any memory.
template <class Index, class Memory> struct PatternArrays {
  kernels::KokkosArray<Index, Memory> row_ptr, col, diagonal;
  kernels::KokkosArray<Index, Memory> source; ///< none: as above

  PatternView<Index> view() const { return {row_ptr.data(), col.data(), diagonal.data(), source.data()}; }
};

/// All of a schedule but its arrays.
struct ScheduleSummary {
  Side         side        = Side::lower;
  std::int64_t levels      = 0; ///< with blocks, of the block that has most
  std::int64_t entries     = 0;
  std::int64_t width       = 0; ///< entries of a row that is not long, at most
  std::size_t  block_bytes = 0; ///< of a team's memory for a block, at most
};

/// A schedule in any memory.
template <class Index, class Memory> struct ScheduleArrays {
  template <class T> using Array = kernels::KokkosArray<T, Memory>;

  ScheduleSummary          summary;
  Array<Index>             first;  ///< [slices + 1]; these as in Schedule
  Array<std::int64_t>      begin;  ///< [slices + 1]
  Array<BlockBegin<Index>> block;  ///< [blocks + 1]; none: rows wait
  Array<std::int64_t>      others; ///< [rows + 1], or none
  Array<Index>             row;    ///< [rows]

  ScheduleArrays() = default;

  /// In host memory, for scalars of so many bytes. `borrows`: the schedule's arrays, which must stay.
  ScheduleArrays(const Schedule<Index> &schedule, std::size_t scalar, bool borrows)
  {
    const auto take = [borrows]<class Vector>(const Vector &from) {
      return borrows ? kernels::borrowed_array<Memory>(from.data(), from.size()) : kernels::host_array(from);
    };
    const auto blocks = schedule.block_begins();
    first             = take(schedule.first);
    begin             = take(schedule.begin);
    block             = kernels::host_array(blocks);
    others            = take(schedule.others);
    row               = take(schedule.row);
    summary           = {schedule.side, schedule.levels, schedule.entries(), 0, most_block_bytes(blocks, scalar)};
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
  }

  Index slices() const { return static_cast<Index>(first.extent(0)) - 1; }
};

/// The row pointer and the columns of a matrix in this memory, borrowed if they are there.
template <class Place, class Scalar, class Index>
PatternArrays<Index, typename Place::Memory> pattern_of_matrix(const kernels::KokkosMemory<Place> &memory, const CsrView<Scalar, Index> &a)
{
  const auto there = [](const Index *on_device, const Index *here) {
    return !kernels::KokkosMemory<Place>::on_host && on_device ? on_device : here;
  };
  return {memory.shown(there(a.device_row_ptr, a.row_ptr), static_cast<std::size_t>(a.rows) + 1),
          memory.shown(there(a.device_col, a.col), static_cast<std::size_t>(a.nonzeros())),
          {},
          {}};
}

/// The same matrix with a pattern that has been brought to this memory, for as long as that stays.
template <class Scalar, class Index, class Memory>
CsrView<Scalar, Index> with_pattern(CsrView<Scalar, Index> a, const PatternArrays<Index, Memory> &there)
{
  if constexpr (!std::is_same_v<Memory, Kokkos::HostSpace>) {
    a.device_row_ptr = there.row_ptr.data();
    a.device_col     = there.col.data();
  }
  return a;
}

/// The pattern in its order, and how both triangles are solved.
template <class Index, class Memory> struct AnalysisArrays {
  template <class T> using Array = kernels::KokkosArray<T, Memory>;

  PatternArrays<Index, Memory>  pattern; ///< but for the diagonal perhaps none: see pattern_of()
  Array<Index>                  order;   ///< [rows] of the matrix for each row of the pattern; none: the same
  ScheduleArrays<Index, Memory> lower, upper;
  std::vector<Index>            colour;             ///< [colours + 1] blocks; empty: there are none, and rows wait
  bool                          by_kernels = false; ///< have found it
  /// [rows] Rows of the pattern in an order in which each comes after those left of its diagonal, and that many threads
  /// can take rows in: by level, or by colour and level in the block.
  Array<Index> elimination;

  template <class Visit> void each(const Visit &visit) const
  {
    visit("row pointer", pattern.row_ptr);
    visit("columns", pattern.col);
    visit("diagonal", pattern.diagonal);
    visit("sources", pattern.source);
    visit("order", order);
    visit("elimination", elimination);
    for (const auto &[side, schedule] : {std::pair(std::string("lower "), &lower), {"upper ", &upper}})
      schedule->each([&, &name = side](const char *of, const auto &array) { visit(name + of, array); }, *schedule);
  }
};

/// Teams of a device have a thread for each row of a slice, or so many lanes of fewer threads.
template <class Exec> constexpr int team_rows()
{
  return kernels::is_host_space<Exec> ? 1 : tuning::slice_rows;
}

/// There is one for so many of the threads that run at a time.
template <class Exec> auto teams(const Exec &exec, std::int64_t slices, int threads_per_team, int lanes = 1)
{
  constexpr bool on_host   = kernels::is_host_space<Exec>;
  const int      at_a_time = on_host ? exec.concurrency() : exec.concurrency() / threads_per_team;
  return kernels::league_of_teams(exec, std::min<std::int64_t>(slices, std::max(at_a_time, 1)), team_rows<Exec>() / lanes, lanes);
}

} // namespace petscspmv::sweeps
