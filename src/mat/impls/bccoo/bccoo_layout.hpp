#pragma once

/// \file bccoo_layout.hpp
/// A matrix in blocks, as the kernels see it: plain views that can be taken by value.
///
/// Block rows are numbered slice after slice: number s n + r is the part of block row r that lies in slice s, where n
/// block rows make up the matrix. Those that have blocks are segments, numbered in the same order.

#include <cstddef>
#include <cstdint>

#include "kernels/coding/values.hpp"
#include "impls/bccoo/blocks.hpp"

namespace petscspmv::bccoo {

using kernels::Coding;

/// Rows and columns inside the format. A matrix with more of them on one process is refused.
using Local = std::int32_t;

/// The longest side of a square that a lane multiplies in registers.
inline constexpr int longest_square = 4;

/// Values and blocks of a tile at most: what a kernel has room for.
inline constexpr int most_tile_values = 4096, most_tile_blocks = 1024;

/// How the columns of the blocks of a tile are written, from the least one on.
enum class Columns : std::uint8_t {
  bits16, ///< of blocks: NarrowColumns
  bits32, ///< WideColumns, where those do not do
};

/// Bytes of such a column.
constexpr std::size_t column_bytes(Columns c)
{
  return c == Columns::bits16 ? sizeof(std::uint16_t) : sizeof(Local);
}

/// Consecutive blocks of whole block rows, or of a part of one that is longer than a tile.
struct Tile {
  Local            segment; ///< number of the first
  std::uint32_t    segments;
  std::uint32_t    blocks;
  Local            part    = -1; ///< number of the part of a block row that it is; -1: whole block rows
  std::uint32_t    begin   = 0;  ///< the number of its first block in the block row
  Columns          columns = Columns::bits32;
  Coding           coding  = kernels::plain_coding;
  std::uint32_t    table   = 0;
  std::uint32_t    zeros   = 0;         ///< values that are no entries
  Local            least = 0, most = 0; ///< block columns
  std::size_t      structure = 0;       ///< offset of its flags and masks in `structure`
  std::size_t      column    = 0;       ///< offset of its columns in `column`
  const std::byte *value     = nullptr; ///< [coded_bytes(coding, blocks * shape.values())], block by block, see Shape
};

/// A block row that is longer than a tile.
struct CutRow {
  Local segment;
  Local first_part, parts;
};

template <class Scalar> struct Layout {
  Shape                shape;
  Local                rows, cols;
  Local                block_rows; ///< of the matrix
  int                  slices;
  const Tile          *tile; ///< in the order of segments and blocks
  std::size_t          tiles;
  const Local         *filled; ///< [segments] numbers of the block rows that have blocks; null if all have
  Local                segments;
  const std::byte     *structure;
  const std::byte     *column;
  const Scalar *const *table; ///< [number of tables] each as long as its coding says

  [[gnu::always_inline]] std::int64_t block_row(std::int64_t segment) const { return filled ? filled[segment] : segment; }
};

/// The first column of a block. The last blocks of a matrix whose columns they do not divide begin earlier, so that no
/// block reads behind the end of x.
[[gnu::always_inline]] constexpr Local first_column(Local block_column, int width, Local cols)
{
  const Local first = block_column * width;
  return first < cols - width ? first : cols - width;
}

/// Bit i of a block's mask stands for its value i: set if that is an entry. As many bytes as that takes, of a power of
/// two.
[[gnu::always_inline]] constexpr std::size_t mask_bytes(Shape shape)
{
  const int n = shape.values();
  return n <= 8 ? 1 : n <= 16 ? 2 : n <= 32 ? 4 : 8;
}

/// Where the parts of the structure of a tile are, relative to its first byte (a multiple of 8): a bit for each block,
/// set if it is the last of its block row or of the tile, in words of 64; then, only if there are zeros, the masks.
struct TileParts {
  [[gnu::always_inline]] TileParts(const Tile &t, Shape shape)
    : masks((t.blocks + 63) / 64 * std::size_t(8)),
      bytes(masks + (t.zeros > 0 ? (t.blocks * mask_bytes(shape) + 7) / 8 * std::size_t(8) : 0))
  {
  }

  std::size_t masks; ///< offset; the flags are at 0
  std::size_t bytes;
};

/// The flags and masks of a tile that are looked at.
struct TileView {
  [[gnu::always_inline]] TileView(const Tile &t, Shape shape, const std::byte *structure)
    : flags(structure + t.structure), masks(t.zeros > 0 ? flags + TileParts(t, shape).masks : nullptr), mask_size(mask_bytes(shape))
  {
  }

  /// Calls visit(segment of the tile, first block, one behind the last) for each segment.
  template <class Visit> [[gnu::always_inline]] void for_each_segment(const Tile &t, const Visit &visit) const
  {
    std::uint32_t first = 0, k = 0;
    for (std::uint32_t word = 0; 64 * word < t.blocks; ++word)
      for (auto bits = kernels::read_as<std::uint64_t>(flags + std::size_t(8) * word); bits; bits &= bits - 1) {
        const std::uint32_t end = 64 * word + static_cast<std::uint32_t>(__builtin_ctzll(bits)) + 1;
        visit(k++, first, end);
        first = end;
      }
  }

  /// Calls visit(place) for the entries of block b.
  template <class Visit> [[gnu::always_inline]] void for_each_entry(Shape shape, std::uint32_t b, const Visit &visit) const
  {
    std::uint64_t mask = masks ? 0 : ~std::uint64_t(0) >> (64 - shape.values());
    for (std::size_t i = 0; masks && i < mask_size; ++i) mask |= std::to_integer<std::uint64_t>(masks[b * mask_size + i]) << 8 * i;
    for (; mask; mask &= mask - 1) visit(__builtin_ctzll(mask));
  }

  const std::byte *flags, *masks;
  std::size_t      mask_size;
};

} // namespace petscspmv::bccoo
