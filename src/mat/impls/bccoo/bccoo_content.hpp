#pragma once

/// \file bccoo_content.hpp
/// What a tile holds, while it is analysed and written.

#include <cstring>
#include <vector>

#include "impls/bccoo/bccoo_plan.hpp"

namespace petscspmv::bccoo {

template <class Scalar, class Index> struct Content {
  std::vector<Scalar>        values;  ///< [blocks][values of a block]
  std::vector<Local>         columns; ///< of blocks
  std::vector<std::uint64_t> masks;   ///< of blocks, see mask_bytes()
  std::vector<std::uint64_t> ends;    ///< a bit for each block, set for the last of a block row or of the tile

  using Reader = BlockReader<Scalar, Index>;

  /// `all`: not only its values.
  template <bool all> void read(const Scalar *from, const Plan<Scalar, Index> &plan, Reader &reader, const Tile &t)
  {
    const auto area = static_cast<std::size_t>(plan.grid.shape.values());
    values.assign(t.blocks * area, Scalar(0));
    if constexpr (all) {
      columns.resize(t.blocks);
      masks.assign(t.blocks, 0);
      ends.assign((t.blocks + 63) / 64, 0);
    }
    std::uint32_t b = 0;
    for (std::uint32_t k = 0; k < t.segments; ++k) {
      reader.open(plan.block_row(t.segment + static_cast<Local>(k)));
      const std::uint32_t n = t.part < 0 ? reader.blocks() : t.blocks;
      for (std::uint32_t i = 0; all && i < n; ++i) columns[b + i] = reader.column(t.begin + i);
      reader.for_each_entry(
        t.begin, t.begin + n, [ =, begin = t.begin, value = values.data() + b * area, mask = masks.data() +
                                b ](std::uint32_t i, int place, Index e) __attribute__((always_inline)) {
          value[(i - begin) * area + static_cast<std::size_t>(place)] = from[e];
          if constexpr (all) mask[i - begin] |= std::uint64_t(1) << place;
        });
      b += n;
      if constexpr (all) ends[(b - 1) / 64] |= std::uint64_t(1) << (b - 1) % 64;
    }
  }

  /// Writes flags and, if there are zeros, masks.
  void write_structure(const Tile &t, Shape shape, std::byte *out) const
  {
    const TileParts parts(t, shape);
    const auto      size = mask_bytes(shape);
    std::memset(out, 0, parts.bytes);
    std::memcpy(out, ends.data(), ends.size() * sizeof ends[0]);
    if (t.zeros == 0) return;
    for (std::size_t b = 0; b < masks.size(); ++b) std::memcpy(out + parts.masks + b * size, &masks[b], size); // the low bytes come first
  }

  void write_columns(const Tile &t, const Grid &grid, std::byte *out) const
  {
    for (const Local c : columns) {
      const auto  narrow = static_cast<std::uint16_t>(c - t.least);
      const Local wide   = first_column(c, grid.shape.cols, grid.cols) - t.least * grid.shape.cols;
      const auto  size   = column_bytes(t.columns);
      std::memcpy(out, t.columns == Columns::bits16 ? static_cast<const void *>(&narrow) : &wide, size);
      out += size;
    }
  }
};

} // namespace petscspmv::bccoo
