#pragma once

/// \file triangle.hpp
/// A strict triangle of a matrix in the order of a schedule, in any memory.

#include <cstddef>

#include "impls/sweeps/schedule.hpp"
#include "impls/sweeps/solve.hpp"
#include "kernels/kokkos/kernel.hpp"
#include "kernels/kokkos/values.hpp"

namespace petscspmv::sweeps {

/// All of a triangle but its arrays.
struct TriangleSummary {
  std::int64_t levels = 0;
  std::int64_t width  = 0; ///< entries of a row that is not long, at most
};

template <class S, class Index, class Memory> struct Triangle {
  template <class T> using Array = kernels::KokkosArray<T, Memory>;

  TriangleSummary     summary;
  Array<Index>        first;           ///< [slices + 1]; these as in TriangleView
  Array<std::int64_t> begin;           ///< [slices + 1]
  Array<Index>        row;             ///< [rows]
  Array<Index>        slot;            ///< [entries]
  Array<Index>        source;          ///< [entries] of the CSR matrix; negative: none
  Array<Index>        diagonal_source; ///< [rows]
  Array<S>            value;           ///< [entries]
  Array<S>            diagonal;        ///< [rows]

  Triangle() = default;

  /// In host memory, without values: gather() brings them.
  Triangle(const Pattern<Index> &p, const Schedule<Index> &schedule, int threads)
    : first(kernels::host_array(schedule.first)), begin(kernels::host_array(schedule.begin)), row(kernels::host_array(schedule.row))
  {
    const auto entries = static_cast<std::size_t>(schedule.begin.back());
    summary.levels     = schedule.levels;
    for (std::size_t s = 0; s < schedule.slices(); ++s) {
      const std::int64_t width = (begin(s + 1) - begin(s)) / (first(s + 1) - first(s));
      if (width <= tuning::long_row) summary.width = std::max(summary.width, width);
    }
    slot            = kernels::new_array<Index>(entries);
    source          = kernels::new_array<Index>(entries);
    diagonal_source = kernels::new_array<Index>(row.extent(0));
    fill_entries(p, schedule, threads, slot.data(), source.data());
    for (std::size_t k = 0; k < row.extent(0); ++k) diagonal_source(k) = p.diagonal[static_cast<std::size_t>(row(k))];
  }

  template <class Visit, class... M> static void each(const Visit &visit, M &...m)
  {
    visit("slices", m.first...);
    visit("begins of slices", m.begin...);
    visit("rows", m.row...);
    visit("slots", m.slot...);
    visit("sources", m.source...);
    visit("sources of the diagonal", m.diagonal_source...);
    visit("values", m.value...);
    visit("diagonal", m.diagonal...);
  }

  TriangleView<S, Index> view() const
  {
    return {slices(), first.data(), begin.data(), row.data(), diagonal.data(), slot.data(), value.data()};
  }
  Index slices() const { return static_cast<Index>(first.extent(0)) - 1; }

  /// Copies the entries of the CSR matrix, in this memory, to their places.
  template <class Exec> void gather(const Exec &exec, const Array<S> &entry) const
  {
    const auto take = [&](const Array<Index> &from, const Array<S> &to) {
      Kokkos::parallel_for("petscspmv values", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, from.extent(0)),
                           kernels::GatherValues<S, Index, Memory>{from, entry, to});
    };
    take(source, value);
    take(diagonal_source, diagonal);
  }
};

} // namespace petscspmv::sweeps
