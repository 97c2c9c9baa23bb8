#pragma once

/// \file bccoo_columns.hpp
/// Block columns of a tile in few bytes.
///
/// Sixteen or 32 bits: the difference to the tile's least block column. Deltas: a byte for each block, the difference
/// to the block before it in its row; that of the first block of a row is the difference to the first one of the row
/// before (of the tile's first block: to the tile's least block column), plus 127. 255 is the escape: the difference to
/// the tile's least block column is the next of a list behind the bytes, of as many bytes each, two to four, as the
/// greatest difference of the tile has.
///
///     block columns    5 6 9 | 4 6 | 7 900        least 4
///     16 bits          1 2 5   0 2   3 896
///     deltas           128 1 3 | 126 2 | 130 255, 896

#include <span>

#include "impls/bccoo/bccoo_layout.hpp"

namespace petscspmv::bccoo {

inline constexpr Local escape = 255, delta_bias = 127;

/// Bytes of the difference of any of a tile's block columns to the least one, at least two.
[[gnu::always_inline]] inline std::size_t difference_bytes(const Tile &t)
{
  const Local most = t.most - t.least;
  return most < 1 << 16 ? 2 : most < 1 << 24 ? 3 : 4;
}

/// Bytes of the block columns of a tile, `escapes` of which are if they are deltas: whole numbers of 32 bits. Escapes
/// are read four bytes at a time.
[[gnu::always_inline]] inline std::size_t column_bytes(const Tile &t, Columns columns, std::size_t escapes)
{
  const auto whole = [](std::size_t bytes) __attribute__((always_inline))
  {
    return (bytes + 3) / 4 * 4;
  };
  const std::size_t n = t.blocks, each = difference_bytes(t);
  if (columns == Columns::deltas) return whole(n) + (escapes > 0 ? whole(each * (escapes - 1) + 4) : 0);
  return whole((columns == Columns::bits32 ? 4 : 2) * n);
}

/// The first block of a row and the block before, while one walks through a tile.
class DeltaBase {
public:
  [[gnu::always_inline]] explicit DeltaBase(Local least) : first_(least), before_(least) { }

  /// What a byte of the next block says the difference to.
  [[gnu::always_inline]] Local base(bool begins_row) const { return begins_row ? first_ - delta_bias : before_; }
  [[gnu::always_inline]] void  step(bool begins_row, Local column)
  {
    before_ = column;
    if (begins_row) first_ = column;
  }

private:
  Local first_, before_;
};

/// Calls visit(block, its column, the byte) for the blocks of a tile with these columns; ends(b): block b is the last
/// of its row.
template <class Ends, class Visit> void for_each_delta(std::span<const Local> columns, Local least, const Ends &ends, const Visit &visit)
{
  DeltaBase base(least);
  bool      begins = true;
  for (std::size_t b = 0; b < columns.size(); ++b) {
    const std::int64_t delta = std::int64_t(columns[b]) - base.base(begins);
    visit(b, columns[b], delta < 0 || delta >= escape ? escape : static_cast<Local>(delta));
    base.step(begins, columns[b]);
    begins = ends(b);
  }
}

/// Writes the block columns of a tile.
template <class Ends> void write_columns(const Tile &t, std::span<const Local> columns, const Ends &ends, std::byte *out)
{
  if (t.columns == Columns::bits16) {
    for (const Local c : columns) {
      const auto difference = static_cast<std::uint16_t>(c - t.least);
      std::memcpy(out, &difference, sizeof difference);
      out += sizeof difference;
    }
    return;
  }
  if (t.columns == Columns::bits32) {
    for (const Local c : columns) {
      const Local difference = c - t.least;
      std::memcpy(out, &difference, sizeof difference);
      out += sizeof difference;
    }
    return;
  }
  std::byte        *next  = out + column_bytes(t, Columns::deltas, 0);
  const std::size_t bytes = difference_bytes(t);
  for_each_delta(columns, t.least, ends, [&](std::size_t b, Local column, Local byte) {
    out[b] = static_cast<std::byte>(byte);
    if (byte != escape) return;
    const Local difference = column - t.least;
    std::memcpy(next, &difference, bytes); // the low bytes come first
    next += bytes;
  });
}

/// Calls visit(b, block column) for the blocks of a tile.
template <class Visit>
[[gnu::always_inline]] inline void read_columns(const Tile &t, const TileView &view, const std::byte *in, const Visit &visit)
{
  const std::uint32_t n = t.blocks;
  if (t.columns == Columns::bits16)
    for (std::uint32_t b = 0; b < n; ++b) visit(b, t.least + Local(kernels::read_as<std::uint16_t>(in + 2 * std::size_t(b))));
  else if (t.columns == Columns::bits32)
    for (std::uint32_t b = 0; b < n; ++b) visit(b, t.least + kernels::read_as<Local>(in + 4 * std::size_t(b)));
  else {
    const std::byte *next  = in + column_bytes(t, Columns::deltas, 0);
    const auto       bytes = difference_bytes(t);
    const auto       mask  = static_cast<std::uint32_t>((std::uint64_t(1) << 8 * bytes) - 1);
    DeltaBase        base(t.least);
    bool             begins = true;
    for (std::uint32_t b = 0; b < n; ++b) {
      const auto byte   = std::to_integer<Local>(in[b]);
      Local      column = base.base(begins) + byte;
      if (byte == escape) {
        column = t.least + static_cast<Local>(kernels::read_as<std::uint32_t>(next) & mask);
        next += bytes;
      }
      base.step(begins, column);
      visit(b, column);
      begins = view.ends(b);
    }
  }
}

} // namespace petscspmv::bccoo
