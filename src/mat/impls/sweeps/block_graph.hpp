#pragma once

/// \file block_graph.hpp
/// Which rows are in each block, and which blocks read each other: the small graph that colours are found in.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/csr_view.hpp"
#include "core/execution.hpp"
#include "kernels/host/arena.hpp"

namespace petscspmv::sweeps {

/// Boxes of a grid of up to three dimensions whose nodes are numbered line by line.
struct Boxes {
  static constexpr int most_dimensions = 3;

  std::int64_t node_rows               = 1;
  int          dimensions              = 0;
  std::int64_t stride[most_dimensions] = {}; ///< [dimensions] these, too
  std::int64_t extent[most_dimensions] = {};
  std::int64_t boxes[most_dimensions]  = {}; ///< into which each dimension is cut

  /// The number of a row's box. Kernels call it, too.
  constexpr std::int64_t operator()(std::int64_t row) const
  {
    std::int64_t own = 0;
    for (int k = dimensions; k-- > 0;) own = own * boxes[k] + row / node_rows / stride[k] % extent[k] * boxes[k] / extent[k];
    return own;
  }

  /// Of all boxes, some of which may have no rows.
  std::int64_t size() const
  {
    std::int64_t all = 1;
    for (int k = 0; k < dimensions; ++k) all *= boxes[k];
    return all;
  }
};

template <class Index> struct BlockGraph {
  std::vector<Index>          first; ///< [blocks + 1]
  kernels::UnsetVector<Index> row;   ///< [rows] by blocks, ascending in each
  std::vector<Index>          start; ///< [blocks + 1]
  std::vector<Index>          read;  ///< other blocks that each reads, ascending
};

/// `block`: of each row, [rows].
template <class Scalar, class Index>
BlockGraph<Index> block_graph(const CsrView<Scalar, Index> &a, const std::vector<Index> &block, Index blocks, int threads);

/// The same by kernels, from the arrays that are in their memory; nothing if a row is too long for a thread. Throws
/// FormatError if there are no kernels, or no room.
template <class Scalar, class Index>
std::optional<BlockGraph<Index>> block_graph_by_kernels(const CsrView<Scalar, Index> &a, const Boxes &block, const Execution &execution);

} // namespace petscspmv::sweeps
