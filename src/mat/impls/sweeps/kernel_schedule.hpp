#pragma once

/// \file kernel_schedule.hpp
/// The schedule of a triangle whose rows wait, found by kernels: what schedule.cpp does on the host.

#include <cstdint>

#include "impls/sweeps/kernel_levels.hpp"

namespace petscspmv::sweeps::by_kernels {
namespace { // see lists.hpp

/// The slices of rows in the slots of their keys: a long row, or up to so many of one key. `is_long` of a key.
template <class Memory, class Exec, class Index, class IsLong>
kernels::KokkosArray<Index, Memory> cut(const Exec &exec, kernels::Room<Memory> &room, Index rows, const std::int64_t *key,
                                        const IsLong &is_long)
{
  auto *const run = room.template take<Index>(rows + 1), *const slice = room.template take<Index>(rows + 1);
  auto *const first_of_run = room.template take<Index>(rows);
  kernels::queue_sum_before(
    exec, rows, run, KOKKOS_LAMBDA(const std::int64_t s) { return s == 0 || key[s] != key[s - 1] ? 1 : 0; });
  kernels::each(
    exec, rows, KOKKOS_LAMBDA(const std::int64_t s) {
      if (run[s + 1] > run[s]) first_of_run[run[s]] = static_cast<Index>(s);
    });
  const auto slices = kernels::sum_before(
    exec, rows, slice, KOKKOS_LAMBDA(const std::int64_t s) {
      return is_long(key[s]) || (s - first_of_run[run[s + 1] - 1]) % tuning::slice_rows == 0 ? 1 : 0;
    });
  auto         made  = kernels::new_array<Index, Memory>(static_cast<std::size_t>(slices) + 1);
  Index *const first = made.data();
  kernels::each(
    exec, std::int64_t(rows) + 1, KOKKOS_LAMBDA(const std::int64_t s) {
      if (s == rows || slice[s + 1] > slice[s]) first[slice[s]] = static_cast<Index>(s);
    });
  return made;
}

/// Entries of a row that is not long, at most.
template <class Exec, class Index, class Memory> std::int64_t width_of(const Exec &exec, const ScheduleArrays<Index, Memory> &of)
{
  const Index *const        first = of.first.data();
  const std::int64_t *const begin = of.begin.data();
  return kernels::most_of(
    exec, of.slices(), KOKKOS_LAMBDA(const std::int64_t s) {
      const std::int64_t width = (begin[s + 1] - begin[s]) / (first[s + 1] - first[s]);
      return width <= tuning::long_row ? width : 0;
    });
}

/// Of rows whose `levels` are these.
template <class Memory, class Exec, class Index>
ScheduleArrays<Index, Memory> schedule(const Exec &exec, Index rows, const PatternView<Index> &p, Side side, const Index *level,
                                       std::int64_t levels)
{
  constexpr int                 arrays = 6, keys = 2; // of an Index and of a key for each row
  kernels::Room<Memory>         room;
  ScheduleArrays<Index, Memory> made;
  room.expect(static_cast<std::size_t>(rows) * (arrays * sizeof(Index) + keys * sizeof(std::int64_t)) + 1024);
  auto *const key = room.template take<std::int64_t>(rows);
  kernels::each(
    exec, rows, KOKKOS_LAMBDA(const std::int64_t r) {
      key[r] = std::int64_t(level[r]) * length_classes + length_class(p.length(side, static_cast<Index>(r)));
    });
  made.row               = kernels::new_array<Index, Memory>(static_cast<std::size_t>(rows));
  Index *const       to  = made.row.data();
  const Index *const row = kernels::by_keys(exec, room, rows, key, levels * length_classes);
  kernels::each(
    exec, rows, KOKKOS_LAMBDA(const std::int64_t s) { to[s] = row[s]; });
  made.first = cut(
    exec, room, rows, key, KOKKOS_LAMBDA(const std::int64_t of) { return of % length_classes == length_classes - 1; });
  const Index *const first = made.first.data();
  made.begin               = kernels::new_array<std::int64_t, Memory>(made.first.extent(0));
  made.summary.side        = side;
  made.summary.levels      = levels;
  made.summary.entries     = kernels::sum_before(
        exec, made.slices(), made.begin.data(), KOKKOS_LAMBDA(const std::int64_t s) {
          Index longest = 0;
          for (Index k = first[s]; k < first[s + 1]; ++k) longest = Kokkos::max(longest, p.length(side, row[k]));
      return std::int64_t(longest) * (first[s + 1] - first[s]);
        });
  made.summary.width = width_of(exec, made);
  exec.fence("petscspmv: a schedule is there");
  return made;
}

} // namespace
} // namespace petscspmv::sweeps::by_kernels
