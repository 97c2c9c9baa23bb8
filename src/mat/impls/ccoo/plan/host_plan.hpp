#pragma once

/// \file host_plan.hpp
/// A plan for the host: the plan of all machines with strips, lines of x, and how much memory the rest will take.

#include "core/footprint.hpp"
#include "impls/ccoo/plan/host_region.hpp"
#include "impls/ccoo/plan/strips.hpp"

namespace petscspmv::ccoo {

/// Chunks are in the order in which they are done: pieces of long rows come last, panel by panel.
template <class Scalar, class Index> struct HostPlan : Plan<Scalar, Index, HostGroup> {
  using View = CsrView<Scalar, Index>;

  /// Throws FormatError for a matrix with too many rows or columns.
  HostPlan(const View &a, const OptionValues &options, int threads);

  using Plan<Scalar, Index, HostGroup>::rules, Plan<Scalar, Index, HostGroup>::rows, Plan<Scalar, Index, HostGroup>::cols;
  using Plan<Scalar, Index, HostGroup>::tiles, Plan<Scalar, Index, HostGroup>::runs, Plan<Scalar, Index, HostGroup>::pool;
  using Plan<Scalar, Index, HostGroup>::tables, Plan<Scalar, Index, HostGroup>::chunks, Plan<Scalar, Index, HostGroup>::chunk_begin;

  bool                       streams;     ///< x and y do not fit the caches
  std::vector<Local>         lines;       ///< of x, that gather tiles read
  std::vector<std::uint32_t> tile_strips; ///< numbers of strips, tile by tile
  StripPool<Scalar>          strips;
  std::size_t                structure_bytes = 0, column_bytes = 0, value_bytes = 0;

  Footprint   footprint() const;
  std::size_t bytes_taken() const; ///< without structure, columns and values

  /// Takes the values of a diagonal tile away from its patterns.
  void stream_values(Tile &t);

private:
  void                       take_regions(const View &a, int threads);
  void                       take_lines(std::vector<HostRegion<Scalar>> &regions, int threads);
  std::vector<std::uint32_t> patterns_of(const Tile &t) const;
  bool                       take_strips(Tile &t, const std::vector<std::uint32_t> &patterns);
  void                       add_strips();
  void                       order_by_panels();
  void                       lay_out();
};

} // namespace petscspmv::ccoo
