#pragma once

/// \file chunk.hpp
/// Chunks: equal numbers of consecutive entries, the paper's own form, and what very long rows are cut into.
///
/// Coordinates are relative to a chunk: columns to its least one, rows to the first. The entries of a row are a
/// segment; what is kept of a row is where its segment ends, and, if rows without entries come between, how far it is
/// from the first. A chunk of five entries of the rows 7, 8 and 10, the first of which began in the chunk before:
///
///     entries     . 7 7 | 8 | 10 10 .
///     gaps        0 1 3              16 bits a segment, only if there are gaps
///     ends        2 3 5              16 bits a segment, only if there are several
///
/// Columns are elsewhere, as those of gather tiles.

#include "impls/ccoo/ccoo_layout.hpp"
#include "impls/ccoo/tiles/gather.hpp"

namespace petscspmv::ccoo {

/// Entries of a chunk, and rows from its first to its last one, at most: what 16 bits can say.
inline constexpr std::int64_t chunk_limit = 65535;

/// Where the parts of the structure of a chunk are, relative to its first byte (a multiple of 4).
struct ChunkParts {
  [[gnu::always_inline]] explicit ChunkParts(const Chunk &c)
    : ends(c.gaps ? 2 * std::size_t(c.segments) : 0), bytes(ends + (c.segments > 1 ? 2 * std::size_t(c.segments) : 0))
  {
  }

  std::size_t ends; ///< offset; the gaps are at 0
  std::size_t bytes;
};

/// A chunk that is looked at.
struct ChunkView {
  [[gnu::always_inline]] ChunkView(const Chunk &c, const std::byte *structure, const std::byte *column)
    : gap(c.gaps ? reinterpret_cast<const std::uint16_t *>(structure + c.structure) : nullptr),
      end(c.segments > 1 ? reinterpret_cast<const std::uint16_t *>(structure + c.structure + ChunkParts(c).ends) : nullptr),
      columns(column + c.column)
  {
  }

  [[gnu::always_inline]] Local row(const Chunk &c, std::uint32_t segment) const
  {
    return c.row + (gap ? Local(gap[segment]) : Local(segment));
  }
  [[gnu::always_inline]] std::uint32_t stop(const Chunk &c, std::uint32_t segment) const { return end ? end[segment] : c.entries; }

  const std::uint16_t *gap;
  const std::uint16_t *end;
  const std::byte     *columns;
};

/// Writes gaps, ends and columns. The chunk's first entry is entry `begin` of the matrix.
template <class View, class Index>
void write_chunk_structure(const View &a, const Chunk &c, Index begin, std::byte *structure, std::byte *columns)
{
  const ChunkParts parts(c);
  std::byte *const out = structure + c.structure;
  auto *const gap = reinterpret_cast<std::uint16_t *>(out), *const end = reinterpret_cast<std::uint16_t *>(out + parts.ends);
  const Index   stop = begin + static_cast<Index>(c.entries);
  std::uint32_t k    = 0;
  for (Local row = c.row; c.segments > 1 && k < c.segments; ++row) {
    if (a.row_ptr[row] == a.row_ptr[row + 1]) continue;
    if (c.gaps) gap[k] = static_cast<std::uint16_t>(row - c.row);
    end[k++] = static_cast<std::uint16_t>(std::min<Index>(a.row_ptr[row + 1], stop) - begin);
  }
  if (c.segments == 1 && c.gaps) gap[0] = 0;
  if (c.columns == Columns::consecutive) return;
  with_column_type(c.columns, [&](auto type) {
    auto *column = reinterpret_cast<decltype(type) *>(columns + c.column);
    for (Index i = begin; i < stop; ++i) *column++ = static_cast<decltype(type)>(a.col[i] - c.least);
    fill_columns(c.columns, column, columns + c.column, c.entries);
  });
}

/// The columns of a chunk as column(i).
template <class Visit> [[gnu::always_inline]] inline void with_columns(const Chunk &c, const std::byte *columns, const Visit &visit)
{
  if (c.columns == Columns::consecutive) return visit([&c](std::uint32_t i) { return c.least + static_cast<Local>(i); });
  with_column_type(c.columns, [&](auto type) {
    const auto *column = reinterpret_cast<const decltype(type) *>(columns);
    visit([&c, column](std::uint32_t i) { return c.least + static_cast<Local>(column[i]); });
  });
}

/// Calls visit(row, column, value) for each entry of a chunk.
template <class Values, class Visit> void decode_chunk(const Chunk &c, const ChunkView &view, const Values &values, const Visit &visit)
{
  with_columns(c, view.columns, [&](const auto &column) {
    std::uint32_t i = 0;
    for (std::uint32_t k = 0; k < c.segments; ++k)
      for (const Local row = view.row(c, k); i < view.stop(c, k); ++i) visit(row, column(i), values[i]);
  });
}

} // namespace petscspmv::ccoo
