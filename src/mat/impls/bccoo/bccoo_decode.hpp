#pragma once

/// \file bccoo_decode.hpp
/// Tiles back to entries.

#include <vector>

#include "impls/bccoo/bccoo_columns.hpp"
#include "impls/bccoo/bccoo_layout.hpp"

namespace petscspmv::bccoo {

/// Calls visit(first row, first column, mask, block, values) for each block of a tile; value(q) is value block *
/// shape.values() + q, for the q of which the mask has a bit. `scratch` is for reuse.
template <class Scalar, class Visit>
void for_each_block(const Layout<Scalar> &m, const Tile &t, std::vector<Local> &scratch, const Visit &visit)
{
  const TileView      view(t, m.shape, m.structure);
  const std::uint64_t all = ~std::uint64_t(0) >> (64 - m.shape.values());
  scratch.resize(t.blocks);
  read_columns(t, view, m.column + t.column, [&](std::uint32_t b, Local c) { scratch[b] = first_column(c, m.shape.cols, m.cols); });
  kernels::with_coding(t.coding, t.value, m.table[t.table], [&](const auto &values) {
    const auto segment = [&](Local k, std::uint32_t first, std::uint32_t end) {
      const auto row = static_cast<Local>(m.block_row(t.segment + k) % m.block_rows * m.shape.rows);
      for (std::uint32_t b = first; b < end; ++b)
        visit(row, scratch[b], view.masks ? view.mask(b) : all, std::int64_t(b) * m.shape.values(), values);
    };
    if (t.part >= 0) segment(0, 0, t.blocks);
    else
      view.for_each_segment(t,
                            [&](std::uint32_t k, std::uint32_t first, std::uint32_t end) { segment(static_cast<Local>(k), first, end); });
  });
}

/// Calls visit(row, column, value) for each entry of a tile, block by block and in a block row by row.
template <class Scalar, class Visit>
void decode_tile(const Layout<Scalar> &m, const Tile &t, std::vector<Local> &scratch, const Visit &visit)
{
  for_each_block(m, t, scratch, [&](Local row, Local col, std::uint64_t mask, std::int64_t from, const auto &values) {
    for (int i = 0; i < m.shape.rows; ++i)
      for (int j = 0; j < m.shape.cols; ++j)
        if (const int q = m.shape.place(i, j); mask >> q & 1) visit(row + i, col + j, values[from + q]);
  });
}

} // namespace petscspmv::bccoo
