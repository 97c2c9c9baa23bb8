#pragma once

/// \file kernel_pattern.hpp
/// The pattern that sweeps and factors work on, found by kernels: what swept_pattern.cpp does on the host.

#include <cstdint>

#include "impls/sweeps/analysis_arrays.hpp"
#include "kernels/kokkos/lists.hpp"

namespace petscspmv::sweeps {
namespace by_kernels {
namespace { // see lists.hpp

/// Finds the entries of the diagonal, [rows]. Returns whether kernels can go on: columns ascend in all rows, each has
/// its diagonal, and none is too long for a thread.
template <class Exec, class Index> bool find_diagonal(const Exec &exec, Index rows, const PatternView<Index> &p, Index *diagonal)
{
  return kernels::sum_of(
           exec, rows, KOKKOS_LAMBDA(const std::int64_t r, std::int64_t &flaws) {
             const Index        from = p.row_ptr[r], n = p.row_ptr[r + 1] - from;
             const Index *const list  = p.col + from;
             const Index        place = kernels::place_of(list, n, static_cast<Index>(r));
             bool               fits  = n <= tuning::most_thread_entries && place < n && list[place] == r;
             for (Index k = 1; k < n && fits; ++k) fits = list[k - 1] < list[k];
             diagonal[r] = from + place;
             flaws += !fits;
           }) == 0;
}

/// A pattern with rows and columns in this order, [rows], but for its diagonal. Several threads share a row, and each
/// of them counts which columns come before its own: no thread sorts a row.
template <class Memory, class Exec, class Index>
PatternArrays<Index, Memory> permuted(const Exec &exec, Index rows, std::int64_t entries, const PatternView<Index> &p, const Index *order)
{
  constexpr int         sharing = 8;
  kernels::Room<Memory> room;
  room.expect((static_cast<std::size_t>(rows) + static_cast<std::size_t>(entries)) * sizeof(Index) + 128);
  auto *const place = room.template take<Index>(rows), *const renamed = room.template take<Index>(entries);
  PatternArrays<Index, Memory> made;
  made.row_ptr         = kernels::new_array<Index, Memory>(static_cast<std::size_t>(rows) + 1);
  made.col             = kernels::new_array<Index, Memory>(static_cast<std::size_t>(entries));
  made.source          = kernels::new_array<Index, Memory>(static_cast<std::size_t>(entries));
  const Index *row_ptr = made.row_ptr.data();
  Index       *col = made.col.data(), *source = made.source.data();
  kernels::queue_sum_before(
    exec, rows, made.row_ptr.data(), KOKKOS_LAMBDA(const std::int64_t k) { return p.row_ptr[order[k] + 1] - p.row_ptr[order[k]]; });
  kernels::each(exec, rows, kernels::Invert<Index>{order, place});
  kernels::each(
    exec, entries, KOKKOS_LAMBDA(const std::int64_t i) { renamed[i] = place[p.col[i]]; });
  kernels::each(
    exec, std::int64_t(rows) * sharing, KOKKOS_LAMBDA(const std::int64_t thread) {
      const std::int64_t k    = thread / sharing;
      const Index        from = p.row_ptr[order[k]], end = p.row_ptr[order[k] + 1];
      for (Index i = from + thread % sharing; i < end; i += sharing) {
        Index to = row_ptr[k];
        for (Index other = from; other < end; ++other) to += renamed[other] < renamed[i];
        col[to]    = renamed[i];
        source[to] = i;
      }
    });
  exec.fence("petscspmv: a permuted pattern is there");
  return made;
}

/// The entries of the matrix for those of the upper triangle and of its transpose, [entries]; none unless the pattern
/// is symmetric.
template <class Memory, class Exec, class Index>
kernels::KokkosArray<Index, Memory> mirrors(const Exec &exec, Index rows, std::int64_t entries, const PatternView<Index> &p)
{
  const auto excess = kernels::sum_of(
    exec, rows, KOKKOS_LAMBDA(const std::int64_t r, std::int64_t &sum) {
      sum += p.length(Side::lower, static_cast<Index>(r)) - p.length(Side::upper, static_cast<Index>(r));
    });
  if (excess != 0) return {};
  const auto   made   = kernels::new_array<Index, Memory>(static_cast<std::size_t>(entries));
  Index *const mirror = made.data();
  const auto   single = kernels::sum_of(
      exec, rows, KOKKOS_LAMBDA(const std::int64_t r, std::int64_t &sum) {
        for (Index i = p.row_ptr[r]; i < p.diagonal[r]; ++i) {
          const Index from = p.begin(Side::upper, p.col[i]), n = p.length(Side::upper, p.col[i]);
          const Index at  = kernels::place_of(p.col + from, n, static_cast<Index>(r));
          const bool  has = at < n && p.col[from + at] == r;
          sum += !has;
          mirror[i] = has ? p.source_of(from + at) : Index(-1);
      }
        for (Index i = p.diagonal[r]; i < p.row_ptr[r + 1]; ++i) mirror[i] = p.source_of(i);
    });
  return single == 0 ? made : kernels::KokkosArray<Index, Memory>();
}

/// The upper triangle of a pattern and its transpose, but for the diagonal.
template <class Memory, class Exec, class Index>
PatternArrays<Index, Memory> symmetrised(const Exec &exec, Index rows, std::int64_t entries, const PatternView<Index> &p)
{
  kernels::Room<Memory>        room;
  PatternArrays<Index, Memory> made;
  room.expect(2 * static_cast<std::size_t>(entries) * sizeof(Index) + 128);
  auto *const row_of = room.template take<Index>(entries), *const column = room.template take<Index>(entries);
  kernels::each(
    exec, rows, KOKKOS_LAMBDA(const std::int64_t r) {
      for (Index i = p.row_ptr[r]; i < p.row_ptr[r + 1]; ++i) {
        row_of[i] = static_cast<Index>(r);
        column[i] = i > p.diagonal[r] ? p.col[i] : Index(-1);
      }
    });
  const auto above   = kernels::grouped(exec, room, entries, rows, column, kernels::Ascending()); // by columns
  made.row_ptr       = kernels::new_array<Index, Memory>(static_cast<std::size_t>(rows) + 1);
  Index *const begin = made.row_ptr.data();
  const auto   size  = static_cast<std::size_t>(kernels::sum_before(
       exec, rows, begin,
       KOKKOS_LAMBDA(const std::int64_t r) { return above.start[r + 1] - above.start[r] + p.row_ptr[r + 1] - p.diagonal[r]; }));
  made.col           = kernels::new_array<Index, Memory>(size);
  made.source        = kernels::new_array<Index, Memory>(size);
  Index *const col = made.col.data(), *const source = made.source.data();
  kernels::each(
    exec, rows, KOKKOS_LAMBDA(const std::int64_t r) {
      Index      to  = begin[r];
      const auto put = [&](Index c, Index entry) {
        col[to]      = c;
        source[to++] = p.source_of(entry);
      };
      for (Index k = above.start[r]; k < above.start[r + 1]; ++k) put(row_of[above.number[k]], above.number[k]);
      for (Index i = p.diagonal[r]; i < p.row_ptr[r + 1]; ++i) put(p.col[i], i);
    });
  exec.fence("petscspmv: a symmetric pattern is there");
  return made;
}

/// Floating-point operations of the elimination of the entries left of the diagonal, and of a division for each row.
template <class Exec, class Index> double elimination_flops(const Exec &exec, Index rows, const PatternView<Index> &p)
{
  return static_cast<double>(rows + kernels::sum_of(
                                      exec, rows, KOKKOS_LAMBDA(const std::int64_t r, std::int64_t &sum) {
                                        for (Index i = p.row_ptr[r]; i < p.diagonal[r]; ++i)
                                          sum += 2 * std::int64_t(p.row_ptr[p.col[i] + 1] - p.diagonal[p.col[i]]) - 1;
                                      }));
}

} // namespace
} // namespace by_kernels

/// The pattern of an analysis, with the arrays of the matrix, `given` in this memory.
template <class Place, class Index, class Memory = typename Place::Memory>
PatternArrays<Index, Memory> pattern_of(const kernels::KokkosMemory<Place> &memory, const PatternArrays<Index, Memory> &given,
                                        const AnalysisArrays<Index, Memory> &found)
{
  if (found.pattern.row_ptr.extent(0) > 0) return found.pattern;
  auto       pattern = given;
  const auto rows    = static_cast<Index>(given.row_ptr.extent(0)) - 1;
  if (found.order.extent(0) > 0)
    memory.run([&](const auto &exec) {
      pattern = by_kernels::permuted<Memory>(exec, rows, static_cast<std::int64_t>(given.col.extent(0)), given.view(), found.order.data());
    });
  pattern.diagonal = found.pattern.diagonal;
  return pattern;
}

} // namespace petscspmv::sweeps
