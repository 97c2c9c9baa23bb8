#pragma once

/// \file gather.hpp
/// Tiles of rows that have no structure: sorted by length, eight side by side.
///
/// Neighbouring rows with the same columns are a node, whose columns are kept once. Nodes are sorted by length, the
/// longest first, and taken in groups of eight, a node to a lane. Slot k of a group holds entry k of the nodes that are
/// longer than k, which are always the first lanes: nothing is filled up. A tile of six nodes of one row, with groups
/// of four for the picture:
///
///     rows        0: a b c   1: d   2: (empty)   3: e f   4: g h i   5: j
///     order       0 4 3 1 | 5 2
///     lengths     3 3 2 1 | 1 0
///     slots       a g e d, b h f, c i | j          columns and values in this order; with nodes of two rows
///                                                  and more, the values of all first rows of a slot, of all second
///                                                  ones, ...
///
/// Bytes of the structure: order, 16 bits a node (only if the nodes are not in their order; without long ones);
/// lengths, 16 bits a node (those with entries, filled up to whole groups). Columns are elsewhere, and eight of them
/// can be read from any entry on.

#include <algorithm>
#include <cstring>
#include <span>

#include "impls/ccoo/ccoo_layout.hpp"

namespace petscspmv::ccoo {

/// The longest node of a gather tile: kernels compare lengths as signed numbers of 16 bits.
inline constexpr int longest_gathered = 32767;

[[gnu::always_inline]] constexpr std::size_t column_bytes(Columns columns)
{
  return columns == Columns::bits8 ? 1 : columns == Columns::bits16 ? 2 : columns == Columns::bits32 ? 4 : 0;
}

/// The fewest bits, but not fewer than `narrowest`, for offsets from 0 to `most`.
constexpr Columns columns_for(std::int64_t most, Columns narrowest)
{
  return std::max(most < 256 ? Columns::bits8 : most < 65536 ? Columns::bits16 : Columns::bits32, narrowest);
}

/// Bytes for n columns and for seven more, which lanes read in vain: they are the least column.
[[gnu::always_inline]] constexpr std::size_t column_room(Columns columns, std::size_t n)
{
  return n == 0 ? 0 : ((n + group_rows - 1) * column_bytes(columns) + 3) / 4 * 4;
}

/// Where the parts of the structure of a gather tile are, relative to its first byte (a multiple of 4).
struct GatherParts {
  [[gnu::always_inline]] explicit GatherParts(const Tile &t)
    : groups((t.gather.filled + group_rows - 1) / group_rows), lengths(t.gather.permuted ? 2 * std::size_t(t.gather.nodes) : 0),
      bytes(lengths + 2 * std::size_t(groups) * group_rows)
  {
  }

  int         groups;
  std::size_t lengths; ///< offset; the order is at 0
  std::size_t bytes;
};

/// A gather tile that is looked at.
struct GatherView {
  [[gnu::always_inline]] GatherView(const Tile &t, const std::byte *structure, const std::byte *column)
    : parts(t), order(t.gather.permuted ? reinterpret_cast<const std::uint16_t *>(structure + t.gather.structure) : nullptr),
      length(reinterpret_cast<const std::uint16_t *>(structure + t.gather.structure + parts.lengths)), columns(column + t.gather.column)
  {
  }

  /// First row of node i, relative to the tile's.
  [[gnu::always_inline]] int row(const Tile &t, int i) const { return (order ? order[i] : i) * t.gather.node; }

  /// Those of group g.
  const std::uint16_t *lengths(int g) const { return length + std::ptrdiff_t(g) * group_rows; }

  GatherParts          parts;
  const std::uint16_t *order;
  const std::uint16_t *length;
  const std::byte     *columns;
};

/// Calls visit(column type) for the width of columns that a tile has.
template <class Visit> [[gnu::always_inline]] inline decltype(auto) with_column_type(Columns columns, Visit &&visit)
{
  if (columns == Columns::bits8) return visit(std::uint8_t());
  if (columns == Columns::bits16) return visit(std::uint16_t());
  return visit(std::int32_t());
}

/// Calls visit(k, live) for the slots of a group of nodes in the order in which they are kept, from slot `first` on:
/// entries k of the nodes in lanes 0 .. live - 1.
template <class Visit> void for_each_slot(const std::uint16_t *length, const Visit &visit, int first = 0)
{
  int live = group_rows;
  for (int k = first; k < length[0]; ++k) {
    while (length[live - 1] <= k) --live;
    visit(k, live);
  }
}

/// Writes what is in the room for n columns behind the last one.
inline void fill_columns(Columns columns, void *from, std::byte *first, std::size_t n)
{
  auto *const begin = static_cast<std::byte *>(from);
  std::memset(begin, 0, static_cast<std::size_t>(first + column_room(columns, n) - begin));
}

/// Writes order, lengths and columns of a tile. `length` has the entries of each of the t.gather.nodes nodes that are
/// in `order`, sorted.
template <class View>
void write_gather_structure(const View &a, const Tile &t, std::span<const std::uint16_t> order, std::byte *structure, std::byte *columns)
{
  const GatherParts parts(t);
  std::byte *const  out = structure + t.gather.structure;
  if (t.gather.permuted && !order.empty()) std::memcpy(out, order.data(), order.size_bytes());
  auto *const length = reinterpret_cast<std::uint16_t *>(out + parts.lengths);
  const auto  row    = [&](int i) { return t.row + order[static_cast<std::size_t>(i)] * t.gather.node; };
  for (int i = 0; i < parts.groups * group_rows; ++i)
    length[i] = static_cast<std::uint16_t>(i < t.gather.filled ? a.row_ptr[row(i) + 1] - a.row_ptr[row(i)] : 0);
  with_column_type(t.gather.columns, [&](auto type) {
    auto *column = reinterpret_cast<decltype(type) *>(columns + t.gather.column);
    for (int g = 0; g < parts.groups; ++g)
      for_each_slot(length + std::ptrdiff_t(g) * group_rows, [&](int k, int live) {
        for (int l = 0; l < live; ++l)
          *column++ = static_cast<decltype(type)>(a.col[a.row_ptr[row(g * group_rows + l)] + k] - t.gather.least);
      });
    fill_columns(t.gather.columns, column, columns + t.gather.column, t.values / t.gather.node);
  });
}

/// The values of a tile in the order in which they are kept. Slots that all lanes have are copied by loops of a fixed
/// length. Rows are not read one after the other, so that no processor foresees them: while a group is copied, a part
/// of the next tile is prefetched. `Stores`: see store.hpp.
template <class Stores, class Window, class Scalar>
void take_gather_values(const Window &a, const Tile &t, const GatherView &view, Scalar *out)
{
  const int          rows                         = t.gather.node * group_rows;
  const std::int64_t part                         = t.values / std::max(view.parts.groups, 1); // of the next tile
  const Scalar      *row[node_limit * group_rows] = {}; // of each node the first row, of each the second, ...
  for (int g = 0; g < view.parts.groups; ++g) {
    const std::uint16_t *length = view.lengths(g);
    const int            full   = length[group_rows - 1];
    a.ask_for(t.row + t.rows, part * g, part);
    for (int l = 0; l < group_rows && length[l] > 0; ++l) {
      const Scalar *const first = a[t.row + view.row(t, g * group_rows + l)];
      for (int e = 0; e < t.gather.node; ++e) row[e * group_rows + l] = first + std::ptrdiff_t(e) * length[l];
    }
    for (int k = 0; k < full; ++k)
      for (int i = 0; i < rows; i += group_rows)
        for (int l = 0; l < group_rows; ++l) Stores::store(out++, row[i + l][k]);
    const auto take = [&](int k, int live) {
      for (int i = 0; i < rows; i += group_rows)
        for (int l = 0; l < live; ++l) Stores::store(out++, row[i + l][k]);
    };
    for_each_slot(length, take, full);
  }
  Stores::finish();
}

/// Calls visit(row, column, value) for each entry of a tile.
template <class Values, class Visit> void decode_gather(const Tile &t, const GatherView &view, const Values &values, const Visit &visit)
{
  with_column_type(t.gather.columns, [&](auto type) {
    auto        *column = reinterpret_cast<const decltype(type) *>(view.columns);
    std::int64_t q      = 0;
    for (int g = 0; g < view.parts.groups; ++g)
      for_each_slot(view.lengths(g), [&](int, int live) {
        for (int e = 0; e < t.gather.node; ++e)
          for (int l = 0; l < live; ++l)
            visit(static_cast<Local>(t.row + view.row(t, g * group_rows + l) + e), t.gather.least + Local(column[l]), values[q++]);
        column += live;
      });
  });
}

} // namespace petscspmv::ccoo
