#pragma once

/// \file kernel_analysis.hpp
/// All of an analysis by kernels.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>

#include "impls/sweeps/blocks.hpp"
#include "impls/sweeps/kernel_blocks.hpp"
#include "impls/sweeps/kernel_fill.hpp"
#include "impls/sweeps/kernel_pattern.hpp"

namespace petscspmv::sweeps {

/// What is known of levels, and all else if there are not too many.
template <class Index, class Memory> struct Found {
  std::int64_t                  levels = 0;
  AnalysisArrays<Index, Memory> arrays = {};

  /// Counts levels: of both triangles, or of one if that is too many. Returns whether these are too many.
  bool has_more_than(std::int64_t most, std::int64_t lower, std::int64_t upper)
  {
    levels = std::max(lower, upper) > most ? std::max(lower, upper) : lower + upper;
    return levels > most;
  }
};

namespace by_kernels {
namespace { // see lists.hpp

/// By colours, and by levels in the blocks. `level`: [rows] of the slots of the lower triangle.
template <class Exec, class Index, class Memory>
kernels::KokkosArray<Index, Memory> elimination(const Exec &exec, const BlockOrder<Index> &order,
                                                const ScheduleArrays<Index, Memory>       &lower,
                                                const kernels::KokkosArray<Index, Memory> &level)
{
  const auto            rows    = static_cast<Index>(level.extent(0));
  const std::int64_t    colours = std::ssize(order.colour) - 1, levels = lower.summary.levels;
  kernels::Room<Memory> room;
  room.expect(static_cast<std::size_t>(rows) * (3 * sizeof(Index) + 2 * sizeof(std::int64_t)) + 1024);
  auto *const key = room.template take<std::int64_t>(rows);
  for (std::int64_t c = 0; c < colours; ++c) { // slots of a block are where its rows are in the order
    const Index begin = order.block[order.colour[c]], end = order.block[order.colour[c + 1]];
    kernels::each(
      exec, end - begin, KOKKOS_LAMBDA(const std::int64_t s) { key[begin + s] = c * levels + level(begin + s); });
  }
  const Index *const slot = kernels::by_keys(exec, room, rows, key, colours * levels), *const row = lower.row.data();
  auto made = kernels::new_array<Index, Memory>(level.extent(0));
  kernels::each(
    exec, rows, KOKKOS_LAMBDA(const std::int64_t s) { made(s) = row[slot[s]]; });
  exec.fence("petscspmv: an order of elimination is there");
  return made;
}

/// Schedules of blocks, if there are some, and teams have room for each.
template <class Exec, class Index, class Memory>
bool find_blocks(const Exec &exec, const BlockOrder<Index> &order, Index rows, const PatternView<Index> &p, std::size_t scalar,
                 std::int64_t most, Found<Index, Memory> &found)
{
  if (order.block.empty()) return false;
  auto                               &there = found.arrays;
  kernels::KokkosArray<Index, Memory> level;
  const auto                          blocks = kernels::new_array<Index, Memory>(order.block.size());
  Kokkos::deep_copy(exec, blocks, kernels::borrowed_array<Kokkos::HostSpace>(order.block.data(), order.block.size()));
  there.upper       = schedule_of_blocks(exec, blocks, rows, p, Side::upper, scalar);
  there.lower       = schedule_of_blocks(exec, blocks, rows, p, Side::lower, scalar, &level);
  const auto &lower = there.lower.summary, &upper = there.upper.summary;
  if (std::max(lower.block_bytes, upper.block_bytes) > tuning::team_bytes) return false;
  if (found.has_more_than(most, lower.levels, upper.levels)) return true;
  there.colour      = order.colour;
  there.elimination = elimination(exec, order, there.lower, level);
  return true;
}

/// Schedules of rows that wait.
template <class Exec, class Index, class Memory>
void find_rows(const Exec &exec, Index rows, const PatternArrays<Index, Memory> &pattern, std::int64_t most, Found<Index, Memory> &found)
{
  kernels::Room<Memory>    room;
  const PatternView<Index> p  = pattern.view();
  const auto               of = find_levels(exec, room, rows, static_cast<std::int64_t>(pattern.col.extent(0)), p, most);
  if (found.has_more_than(most, of.most_lower, of.most_upper)) return;
  found.arrays.lower       = schedule<Memory>(exec, rows, p, Side::lower, of.lower, of.most_lower);
  found.arrays.upper       = schedule<Memory>(exec, rows, p, Side::upper, of.upper, of.most_upper);
  found.arrays.elimination = found.arrays.lower.row;
}

/// Makes of the matrix's pattern the one that is solved with: in the order that `found` has, if `symmetric` of the
/// upper triangle and its transpose, and with fill. Returns whether kernels can look at it.
template <class Exec, class Index, class Memory>
bool find_pattern(const Exec &exec, Index rows, PatternArrays<Index, Memory> &pattern, bool symmetric, Index levels,
                  AnalysisArrays<Index, Memory> &found)
{
  const auto entries = [&pattern] { return static_cast<std::int64_t>(pattern.col.extent(0)); };
  const auto become  = [&](const PatternArrays<Index, Memory> &made) {
    found.pattern          = made;
    found.pattern.diagonal = pattern.diagonal;
    pattern                = found.pattern;
    return find_diagonal(exec, rows, pattern.view(), pattern.diagonal.data());
  };
  found.pattern.diagonal = pattern.diagonal = kernels::new_array<Index, Memory>(static_cast<std::size_t>(rows));
  if (!find_diagonal(exec, rows, pattern.view(), pattern.diagonal.data())) return false;
  if (found.order.extent(0) > 0) become(permuted<Memory>(exec, rows, entries(), pattern.view(), found.order.data()));
  try {
    if (symmetric && !become(symmetrised<Memory>(exec, rows, entries(), pattern.view()))) return false;
    for (Index level = 1; level <= levels; ++level) {
      const auto made = filled<Memory>(exec, rows, pattern.view(), level);
      if (made.row_ptr.extent(0) == 0) return false;
      become(made);
    }
  } catch (const std::exception &) { // too many candidates for an index, or for the memory: the host needs less
    return false;
  }
  return found.by_kernels = true;
}

} // namespace
} // namespace by_kernels
} // namespace petscspmv::sweeps
