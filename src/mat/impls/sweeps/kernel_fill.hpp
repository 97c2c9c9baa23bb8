#pragma once

/// \file kernel_fill.hpp
/// Fill, found by kernels level by level: what SweptPattern::fill does on the host.
///
/// Entries (i, h) and (h, j), h < min(i, j), make (i, j) with the sum of their levels and 1. So both levels are below k
/// if that sum is k: from the entries of levels below k, each row finds its own of level k, and waits for no other row
/// of that level (as with Hysom, Pothen, A Scalable Parallel Algorithm for Incomplete Factor Preconditioning, SIAM J.
/// Sci. Comput. 22, 2001).

#include <cstddef>
#include <cstdint>

#include "impls/sweeps/analysis_arrays.hpp"
#include "kernels/kokkos/lists.hpp"

namespace petscspmv::sweeps::by_kernels {

/// The columns of a row, and those of its fill of a level, of which each may come several times.
template <class Index> struct FilledRow {
  PatternView<Index> pattern; ///< with the fill of all levels below
  Index              level;

  template <class Add> KOKKOS_FUNCTION void operator()(std::int64_t r, const Add &add) const
  {
    for (Index i = pattern.row_ptr[r]; i < pattern.row_ptr[r + 1]; ++i) add(pattern.col[i]);
    for (Index i = pattern.row_ptr[r]; i < pattern.diagonal[r]; ++i) {
      const Index h = pattern.col[i], end = pattern.row_ptr[h + 1], other = level - 1 - level_of(i);
      for (Index j = pattern.diagonal[h] + 1; j < end; ++j)
        if (level_of(j) == other) add(pattern.col[j]);
    }
  }

private:
  KOKKOS_FUNCTION Index level_of(Index entry) const { return Kokkos::max(-pattern.source_of(entry), Index(0)); }
};

namespace { // see lists.hpp

/// A pattern with the fill of a level, but for its diagonal; none if a thread would look at too many entries.
template <class Memory, class Exec, class Index>
PatternArrays<Index, Memory> filled(const Exec &exec, Index rows, const PatternView<Index> &p, Index level)
{
  const FilledRow<Index>       row{p, level};
  kernels::Room<Memory>        room;
  PatternArrays<Index, Memory> made;
  auto *const                  count = room.template take<Index>(rows);
  const auto                   most  = kernels::most_of(
                       exec, rows, KOKKOS_LAMBDA(const std::int64_t r) {
                         Index n = 0;
                         row(r, [&](Index) { ++n; });
                         count[r] = n;
                         return std::int64_t(n);
                       });
  if (most > tuning::most_thread_entries) return made;
  const auto candidates = kernels::room_for<Memory, Exec, Index>(
    exec, room, rows, KOKKOS_LAMBDA(const std::int64_t r) { return count[r]; });
  const kernels::Lists<Index> lists = kernels::distinct(exec, room, rows, candidates, row);
  made.row_ptr                      = kernels::new_array<Index, Memory>(static_cast<std::size_t>(rows) + 1);
  made.col                          = kernels::new_array<Index, Memory>(static_cast<std::size_t>(lists.size));
  made.source                       = kernels::new_array<Index, Memory>(static_cast<std::size_t>(lists.size));
  Index *const row_ptr = made.row_ptr.data(), *const col = made.col.data(), *const source = made.source.data();
  kernels::each(
    exec, std::int64_t(rows) + 1, KOKKOS_LAMBDA(const std::int64_t r) {
      row_ptr[r] = lists.start[r];
      if (r == rows) return;
      Index from = p.row_ptr[r];
      for (Index i = lists.start[r]; i < lists.start[r + 1]; ++i) {
        col[i]         = lists.number[i];
        const bool has = from < p.row_ptr[r + 1] && p.col[from] == col[i];
        source[i]      = has ? p.source_of(from++) : -level;
      }
    });
  exec.fence("petscspmv: fill is there");
  return made;
}

} // namespace
} // namespace petscspmv::sweeps::by_kernels
