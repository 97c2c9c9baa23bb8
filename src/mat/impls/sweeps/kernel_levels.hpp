#pragma once

/// \file kernel_levels.hpp
/// Levels of the rows of both triangles, by kernels: rows that read no others, then those that read these alone, and so
/// on (Anderson and Saad, Int. J. High Speed Computing 1, 1989).
///
/// A kernel finds a level of both triangles: it takes the rows of the level before and tells those that read them, and
/// whoever then waits for no other row belongs to the level. Kernels follow one another, and the host looks once in a
/// while whether they have found something: 27-point 96^3 has 666 levels, and a kernel takes as long as a row would
/// that waits for its levels from other multiprocessors.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "impls/sweeps/analysis_arrays.hpp"
#include "kernels/kokkos/lists.hpp"

namespace petscspmv::sweeps::by_kernels {

/// The levels of one triangle.
template <class Index> struct LevelsOf {
  Index *waits; ///< [rows] for so many rows
  Index *level; ///< [rows]
  Index *row;   ///< [rows] level by level
  Index *first; ///< [levels] of `row`
  Index *count; ///< [levels] of rows

  /// `begin`: of level l in `row`.
  KOKKOS_FUNCTION void add(Index r, Index l, Index begin) const
  {
    level[r]                                                   = l;
    row[begin + Kokkos::atomic_fetch_add(count + l, Index(1))] = r;
  }
};

/// Finds level l of both triangles, by so many threads each. Several threads share a row: one that takes its readers in
/// turn waits for each of them, and all for it.
template <class Index> struct FindLevel {
  kernels::Pattern<Index> readers; ///< the rows that read each row
  LevelsOf<Index>         lower, upper;
  Index                   l;
  std::int64_t            threads; ///< a multiple of `sharing`

  static constexpr int sharing = 8;

  KOKKOS_FUNCTION void operator()(std::int64_t t) const
  {
    const bool             is_lower = t < threads;
    const std::int64_t     own      = is_lower ? t : t - threads;
    const LevelsOf<Index> &of       = is_lower ? lower : upper;
    const Index            begin = of.first[l - 1], end = begin + of.count[l - 1]; // of the level before
    if (own == 0) of.first[l] = end;
    for (std::int64_t k = begin + own / sharing; k < end; k += threads / sharing) {
      const Index r = of.row[k];
      for (Index i = readers.row_ptr[r] + static_cast<Index>(own % sharing); i < readers.row_ptr[r + 1]; i += sharing) {
        const Index reader = readers.col[i];
        if (is_lower ? reader <= r : reader >= r) continue;
        if (Kokkos::atomic_fetch_sub(of.waits + reader, Index(1)) == 1) of.add(reader, l, end);
      }
    }
  }
};

/// The levels of the rows of both triangles.
template <class Index> struct Levels {
  const Index *lower, *upper;          ///< [rows]
  std::int64_t most_lower, most_upper; ///< how many there are
};

namespace { // see lists.hpp

/// Whether rows read one another, by a sum that is as good as never 0 by chance.
template <class Exec, class Index> bool is_symmetric(const Exec &exec, Index rows, const PatternView<Index> &p)
{
  std::uint64_t all = 0; // overflows as it likes
  Kokkos::parallel_reduce(
    "petscspmv symmetry", kernels::indices(exec, rows),
    KOKKOS_LAMBDA(const std::int64_t r, std::uint64_t &sum) {
      const auto of_pair = [](std::uint64_t low, std::uint64_t high) { // MurmurHash3's last steps
        std::uint64_t bits = low * 0x9e3779b97f4a7c15 + high;
        bits               = (bits ^ bits >> 33) * 0xff51afd7ed558ccd;
        bits               = (bits ^ bits >> 33) * 0xc4ceb9fe1a85ec53;
        return bits ^ bits >> 33;
      };
      for (Index i = p.row_ptr[r]; i < p.diagonal[r]; ++i) sum += of_pair(p.col[i], r);
      for (Index i = p.diagonal[r] + 1; i < p.row_ptr[r + 1]; ++i) sum -= of_pair(r, p.col[i]);
    },
    all);
  return all == 0;
}

/// Of a pattern that has some rows. With more than `most` levels in one triangle it says so, and not all are there.
template <class Memory, class Exec, class Index>
Levels<Index> find_levels(const Exec &exec, kernels::Room<Memory> &room, Index rows, std::int64_t entries, const PatternView<Index> &p,
                          std::int64_t most)
{
  constexpr std::int64_t at_a_time = 64, most_rows = 1 << 14; // levels between two looks, and rows that threads take at a time
  const std::int64_t     threads = std::min<std::int64_t>(rows, most_rows) * FindLevel<Index>::sharing;
  const std::int64_t     levels  = std::min<std::int64_t>(rows, most) + at_a_time + 1;
  const auto             take    = [&room](std::int64_t n) { return room.template take<Index>(n); };
  room.expect(static_cast<std::size_t>(6 * std::int64_t(rows) + 4 * levels) * sizeof(Index) + 1024);
  const LevelsOf<Index> lower{take(rows), take(rows), take(rows), take(levels), take(levels)};
  const LevelsOf<Index> upper{take(rows), take(rows), take(rows), take(levels), take(levels)};
  kernels::each(
    exec, levels, KOKKOS_LAMBDA(const std::int64_t l) { lower.first[l] = lower.count[l] = upper.first[l] = upper.count[l] = 0; });
  kernels::each(
    exec, rows, KOKKOS_LAMBDA(const std::int64_t r) {
      const auto row = static_cast<Index>(r);
      lower.waits[r] = p.length(Side::lower, row);
      upper.waits[r] = p.length(Side::upper, row);
      if (lower.waits[r] == 0) lower.add(row, 0, 0);
      if (upper.waits[r] == 0) upper.add(row, 0, 0);
    });
  // In a pattern that is not symmetric, those who read a row are in its column.
  const kernels::Pattern<Index> own{p.row_ptr, p.col};
  const auto   readers = is_symmetric(exec, rows, p) ? own : kernels::columns_of(exec, room, own, rows, rows, entries).rows;
  std::int64_t last = 0, found[2] = {1, 1};
  while (std::max(found[0], found[1]) == last + 1 && last < most) {
    for (std::int64_t l = last + 1; l <= last + at_a_time; ++l)
      kernels::each(exec, 2 * threads, FindLevel<Index>{readers, lower, upper, static_cast<Index>(l), threads});
    for (const int side : {0, 1}) {
      std::vector<Index> counts(at_a_time);
      Kokkos::deep_copy(exec, kernels::borrowed_array<Kokkos::HostSpace>(counts.data(), counts.size()),
                        kernels::borrowed_array<Memory>((side == 0 ? lower : upper).count + last + 1, counts.size()));
      exec.fence("petscspmv: levels are counted");
      found[side] += std::count_if(counts.begin(), counts.end(), [](Index n) { return n > 0; });
    }
    last += at_a_time;
  }
  return {lower.level, upper.level, std::min(found[0] - 1, most) + 1, std::min(found[1] - 1, most) + 1};
}

} // namespace
} // namespace petscspmv::sweeps::by_kernels
