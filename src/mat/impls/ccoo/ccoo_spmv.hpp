#pragma once

/// \file ccoo_spmv.hpp
/// One thread's share of y = alpha A x + beta y.
///
/// Included by one source file for each instruction set; see kernels/lanes/isa.hpp for what that asks of this code.

#include "impls/ccoo/tiles/chunk_host.hpp"
#include "impls/ccoo/tiles/diagonal_host.hpp"
#include "impls/ccoo/tiles/gather_host.hpp"
#include "impls/ccoo/tiles/strip_host.hpp"

namespace petscspmv::ccoo {

template <class L, class Values>
void multiply_tile(const Layout<typename L::Scalar> &m, const Tile &t, const Values &values, const Task<typename L::Scalar> &task)
{
  if (t.kind == Kind::diagonal) DiagonalProduct<L>(m, t, task).run(values);
  else with_column_type(t.gather.columns, [&](auto type) { GatherProduct<L, Values, decltype(type)>(m, t, values, task).run(); });
}

template <class L, class Values>
kernels::Carry<typename L::Scalar, Local> multiply_chunk(const Layout<typename L::Scalar> &m, const Chunk &chunk, const Values &values,
                                                         const Task<typename L::Scalar> &task)
{
  if (chunk.columns == Columns::consecutive) return ChunkProduct<L, Values, void>(m, chunk, values, task).run();
  return with_column_type(chunk.columns, [&](auto type) { return ChunkProduct<L, Values, decltype(type)>(m, chunk, values, task).run(); });
}

template <class L> void multiply_share(const Layout<typename L::Scalar> &m, const Share &share, const Task<typename L::Scalar> &task)
{
  for (std::size_t i = share.first_tile; i < share.last_tile; ++i) {
    const Tile &t = m.tile[i];
    if (t.kind == Kind::empty) {
      task.update.empty(t.row, t.row + t.rows);
      continue;
    }
    if (t.kind == Kind::chunked) continue;
    if (t.diagonal.strips > 0) {
      StripProduct<L>(m, t, task).run();
      continue;
    }
    kernels::with_coding(t.coding, t.value, m.table[t.table],
                         [&](const auto &values) { multiply_tile<L>(m, t, L::prepared(values), task); });
  }
  for (std::size_t i = share.first_chunk; i < share.last_chunk; ++i) {
    const Chunk &c       = m.chunk[i];
    task.carry[c.number] = kernels::with_coding(c.coding, c.value, m.table[c.table],
                                                [&](const auto &values) { return multiply_chunk<L>(m, c, L::prepared(values), task); });
  }
  if (task.streams) L::finish_streams();
}

} // namespace petscspmv::ccoo
