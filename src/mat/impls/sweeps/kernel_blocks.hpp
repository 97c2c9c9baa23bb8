#pragma once

/// \file kernel_blocks.hpp
/// The schedule of a triangle whose blocks are solved one by one, found by kernels: what schedule.cpp does on the host.
/// A thread looks at a block.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "impls/sweeps/kernel_schedule.hpp"

namespace petscspmv::sweeps::by_kernels {

/// The rows of a block and their slots, which are the same numbers.
template <class Index> struct RowsOfBlock {
  PatternView<Index> pattern;
  Side               side;
  Index              from, to;
  Index             *level, *own; ///< [rows] of all blocks: levels and entries in the block, by rows
  Index             *row;         ///< [rows] of each slot

  /// Returns how many levels there are.
  KOKKOS_FUNCTION Index find_levels() const
  {
    Index levels = 0;
    for (Index k = from; k < to; ++k) {
      const Index r  = side == Side::lower ? k : from + to - 1 - k;
      Index       of = 0, entries = 0;
      for (Index i = pattern.begin(side, r); i < pattern.end(side, r); ++i) {
        const Index c = pattern.col[i];
        if (c < from || c >= to) continue;
        ++entries;
        of = Kokkos::max(of, level[c] + 1);
      }
      level[r] = of;
      own[r]   = entries;
      levels   = Kokkos::max(levels, of + 1);
    }
    return levels;
  }

  KOKKOS_FUNCTION void sort() const
  {
    for (Index s = from; s < to; ++s) row[s] = s;
    kernels::sort(row + from, to - from, [this](Index p, Index q) {
      if (level[p] != level[q]) return level[p] < level[q];
      return is_long(p) != is_long(q) ? is_long(q) : p < q;
    });
  }

  /// Calls take(the first slot, rows, the longest) for all slices, of slots that are sorted.
  template <class Take> KOKKOS_FUNCTION void each_slice(const Take &take) const
  {
    for (Index s = from, end; s < to; s = end) {
      const Index r       = row[s];
      Index       longest = own[r];
      const Index most    = is_long(r) ? 1 : tuning::slice_rows;
      for (end = s + 1; end < to && end - s < most && level[row[end]] == level[r] && !is_long(row[end]); ++end)
        longest = Kokkos::max(longest, own[row[end]]);
      take(s, end - s, longest);
    }
  }

private:
  KOKKOS_FUNCTION bool is_long(Index r) const { return own[r] > tuning::long_row; }
};

/// What a block has.
template <class Index> struct BlockCounts {
  Index        *levels, *slices; ///< [blocks]
  std::int64_t *entries;         ///< [blocks]
};

namespace { // see lists.hpp

/// `block`: [blocks + 1] rows; `scalar`: bytes of one; `level_of_slot`: becomes [rows], if it is wanted.
template <class Memory, class Exec, class Index>
ScheduleArrays<Index, Memory> schedule_of_blocks(const Exec &exec, const kernels::KokkosArray<Index, Memory> &blocks, Index rows,
                                                 const PatternView<Index> &p, Side side, std::size_t scalar,
                                                 kernels::KokkosArray<Index, Memory> *level_of_slot = nullptr)
{
  const auto                    n = static_cast<Index>(blocks.extent(0)) - 1;
  kernels::Room<Memory>         room;
  ScheduleArrays<Index, Memory> made;
  room.expect(2 * static_cast<std::size_t>(rows) * sizeof(Index) +
              static_cast<std::size_t>(n + 1) * (3 * sizeof(Index) + 2 * sizeof(std::int64_t)) + 1024);
  made.row          = kernels::new_array<Index, Memory>(static_cast<std::size_t>(rows));
  auto *const level = room.template take<Index>(rows), *const own = room.template take<Index>(rows);
  Index *const             row   = made.row.data();
  const Index *const       block = blocks.data();
  const BlockCounts<Index> count{room.template take<Index>(n), room.template take<Index>(n), room.template take<std::int64_t>(n)};
  auto *const              slice   = room.template take<Index>(n + 1);
  auto *const              entry   = room.template take<std::int64_t>(n + 1);
  const auto               rows_of = KOKKOS_LAMBDA(const std::int64_t b)
  {
    return RowsOfBlock<Index>{p, side, block[b], block[b + 1], level, own, row};
  };
  kernels::each(
    exec, n, KOKKOS_LAMBDA(const std::int64_t b) {
      const auto of    = rows_of(b);
      count.levels[b]  = of.find_levels();
      count.slices[b]  = 0;
      count.entries[b] = 0;
      of.sort();
      of.each_slice([&](Index, Index some, Index longest) {
        ++count.slices[b];
        count.entries[b] += std::int64_t(longest) * some;
      });
    });
  const auto slices = kernels::sum_before(
    exec, n, slice, KOKKOS_LAMBDA(const std::int64_t b) { return count.slices[b]; });
  const auto entries = kernels::sum_before(
    exec, n, entry, KOKKOS_LAMBDA(const std::int64_t b) { return count.entries[b]; });
  made.first                = kernels::new_array<Index, Memory>(static_cast<std::size_t>(slices) + 1);
  made.begin                = kernels::new_array<std::int64_t, Memory>(static_cast<std::size_t>(slices) + 1);
  made.others               = kernels::new_array<std::int64_t, Memory>(static_cast<std::size_t>(rows) + 1);
  made.block                = kernels::new_array<BlockBegin<Index>, Memory>(static_cast<std::size_t>(n) + 1);
  Index *const        first = made.first.data();
  std::int64_t *const begin = made.begin.data(), *const others = made.others.data();
  kernels::each(
    exec, std::int64_t(n) + 1, KOKKOS_LAMBDA(const std::int64_t b) {
      Index        s  = slice[b];
      std::int64_t at = entry[b];
      if (b < n)
        rows_of(b).each_slice([&](Index slot, Index some, Index longest) {
          first[s]   = slot;
          begin[s++] = at;
          at += std::int64_t(longest) * some;
        });
      else {
        first[s] = rows;
        begin[s] = at;
      }
    });
  const auto other_entries = kernels::sum_before(
    exec, rows, others, KOKKOS_LAMBDA(const std::int64_t s) { return p.length(side, row[s]) - own[row[s]]; });
  kernels::each(
    exec, std::int64_t(rows) + 1, KOKKOS_LAMBDA(const std::int64_t s) { others[s] += entries; });
  if (level_of_slot) {
    const auto of_slot = *level_of_slot = kernels::new_array<Index, Memory>(static_cast<std::size_t>(rows));
    kernels::each(
      exec, rows, KOKKOS_LAMBDA(const std::int64_t s) { of_slot(s) = level[row[s]]; });
  }
  BlockBegin<Index> *const begins = made.block.data();
  kernels::each(
    exec, std::int64_t(n) + 1, KOKKOS_LAMBDA(const std::int64_t b) {
      begins[b] = {entry[b], others[block[b]], block[b], slice[b]};
    });
  std::vector<BlockBegin<Index>> on_host(static_cast<std::size_t>(n) + 1);
  Kokkos::deep_copy(exec, kernels::KokkosArray<BlockBegin<Index>, Kokkos::HostSpace>(on_host.data(), on_host.size()), made.block);
  exec.fence("petscspmv: a schedule of blocks is there");
  made.summary.side   = side;
  made.summary.levels = kernels::most_of(
    exec, n, KOKKOS_LAMBDA(const std::int64_t b) { return std::int64_t(count.levels[b]); });
  made.summary.entries     = entries + other_entries;
  made.summary.width       = width_of(exec, made);
  made.summary.block_bytes = most_block_bytes(on_host, scalar);
  return made;
}

} // namespace
} // namespace petscspmv::sweeps::by_kernels
