#pragma once

/// \file blocks.hpp
/// An order of rows by coloured blocks of neighbours, in which sweeps and factors have few levels.
///
/// Blocks of a colour do not read each other; inside a block the order is the matrix's (Iwashita, Li, Fukaya,
/// Hierarchical Block Multi-Color Ordering, CCF Trans. HPC 2, 2020). Such an order costs diffusion problems few
/// iterations. Where the natural order is the method, as with a flow along it, it costs more.

#include <vector>

#include "core/csr_view.hpp"
#include "core/execution.hpp"

namespace petscspmv {

/// Any order; `block` and `colour` are empty if it has no blocks.
template <class Index> struct BlockOrder {
  std::vector<Index> row;    ///< [rows] of the matrix: by colours, then by blocks, then ascending
  std::vector<Index> block;  ///< [blocks + 1] places in `row`
  std::vector<Index> colour; ///< [colours + 1] blocks

  friend bool operator==(const BlockOrder &, const BlockOrder &) = default;
};

/// Looks at the pattern, and at a sample of the values: `values`, as a.val but in host memory; null: all are alike. Of
/// the rows of a grid that is numbered line by line it makes boxes, long in the direction of strong couplings; of
/// others runs of consecutive rows, or, where these have little to do with each other, patches that grow from row to
/// row. Nodes of `node_rows` consecutive rows stay together; if that is 1, as many as have the same columns in a sample
/// of the rows, up to six. Some 128 rows a block, fewer of a small matrix or of one with long rows, and no more, but
/// one node at least. The same matrix gives the same order. A device, or with Kernels::kokkos the host, finds by
/// kernels what blocks read of each other; all else is the host's. Throws std::bad_alloc.
template <class Scalar, class Index>
BlockOrder<Index> block_order(const CsrView<Scalar, Index> &a, const Scalar *values, Index node_rows, const Execution &execution);

} // namespace petscspmv
