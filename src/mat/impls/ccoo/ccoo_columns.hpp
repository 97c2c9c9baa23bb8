#pragma once

/// \file ccoo_columns.hpp
/// One thread's share of Y = alpha A X + beta Y with up to eight vectors, lane = vector: gather tiles and chunks, whose
/// x is scattered.
///
/// Included by one source file for each instruction set; see kernels/lanes/isa.hpp for what that asks of this code.

#include "impls/ccoo/ccoo_columns_kernels.hpp"
#include "impls/ccoo/tiles/chunk_columns.hpp"
#include "impls/ccoo/tiles/gather_columns.hpp"

namespace petscspmv::ccoo {

template <class L> void columns_of_tile(const Layout<typename L::Scalar> &m, const Tile &t, const ColumnsTask<typename L::Scalar> &task)
{
  kernels::with_coding(t.coding, t.value, m.table[t.table], [&](const auto &values) {
    with_column_type(t.columns, [&](auto type) { GatherColumns<L, decltype(type)>(m, t, task).run(values); });
  });
}

template <class L> void columns_of_chunk(const Layout<typename L::Scalar> &m, std::size_t i, const ColumnsTask<typename L::Scalar> &task)
{
  const Chunk &c = m.chunk[i];
  kernels::with_coding(c.coding, c.value, m.table[c.table], [&](const auto &values) { ChunkColumns<L>(m, i, task).run(values); });
}

} // namespace petscspmv::ccoo
