#pragma once

/// \file ccoo_layout.hpp
/// A matrix in tiles, as the kernels see it: plain views that can be taken by value.

#include <cstddef>
#include <cstdint>

#include "impls/ccoo/plan/group.hpp"
#include "kernels/coding/values.hpp"
#include "kernels/lanes/group.hpp"

namespace petscspmv::ccoo {

using kernels::Coding;
using kernels::group_rows;
using kernels::LaneMask;

/// What a tile of rows is.
enum class Kind : std::uint8_t {
  empty,    ///< no entries
  diagonal, ///< tiles/diagonal.hpp
  gather,   ///< tiles/gather.hpp
  chunked,  ///< nothing: its rows are in chunks
};

/// How the columns of a gather tile or a chunk are written, as offsets from its least column.
enum class Columns : std::uint8_t {
  bits8,
  bits16,
  bits32,
  consecutive, ///< the n columns from the least on; chunks only
};

/// Where the values of a group of rows in a diagonal tile are.
enum class PatternValues : std::uint8_t {
  streamed, ///< in the tile's values, slot by slot
  packed,   ///< with the pattern, one for each entry, slot by slot
  by_slot,  ///< with the pattern, one for each slot
  mixed,    ///< of some slots as in by_slot, of the others as in streamed
};

/// Slots that a pattern of mixed values may have.
inline constexpr int most_mixed_slots = 32;

/// What eight neighbouring rows look like, kept once for the whole matrix: a list of slots.
///
/// A slot is a column offset (column - row) and the lanes whose rows have it; slots ascend, and a row that has a column
/// several times has as many slots with that offset.
struct Pattern {
  std::uint32_t first_slot;
  std::uint32_t first_value; ///< where values are with the pattern
  Local         first_row;   ///< of the first group that looks like this
  std::uint32_t streams;     ///< mixed: bit k is set if the values of slot k are in the tile's values
  std::uint16_t slots;
  std::uint16_t entries;
  std::uint16_t streamed; ///< entries whose values are in the tile's values
  PatternValues values;
  bool          full; ///< there are slots, and each has all lanes: so a group has all its rows
};

/// Which of the values that are with a pattern belongs to entry i of a group, which is in slot k.
inline std::size_t value_place(const Pattern &p, int k, std::size_t i)
{
  return p.values == PatternValues::packed ? i : static_cast<std::size_t>(k);
}

/// Groups one after the other that look the same.
struct Run {
  std::uint32_t pattern;
  std::uint32_t groups;
};

/// Groups of a strip.
inline constexpr int strip_groups = 8;

/// Bit i stands for row i of a strip.
using StripMask = std::uint64_t;

/// What eight neighbouring groups with values in their patterns look like together (tiles/strip.hpp).
struct Strip {
  std::uint32_t first_slot;
  std::uint32_t slots;
  std::uint32_t fronts;   ///< entries of `front`
  Local         front[3]; ///< offsets that read x first, others follow them closely
};

/// What a diagonal tile is made of: runs or strips.
struct DiagonalTile {
  std::uint32_t runs = 0, strips = 0; ///< how many
  std::size_t   run = 0, strip = 0;   ///< the first
};

/// How the columns of a gather tile are written. Nodes are rows with the same columns, side by side.
struct GatherTile {
  Columns       columns  = Columns::bits32;
  std::uint8_t  node     = 1;        ///< rows of a node
  bool          permuted = false;    ///< rows are not in their order
  std::uint16_t nodes    = 0;        ///< that are not long
  std::uint16_t filled   = 0;        ///< those that have entries; they come first
  Local         least = 0, most = 0; ///< columns
  std::uint32_t lines     = 0;       ///< cache lines of x that the tile before prefetches (tiles/next_tile.hpp)
  std::size_t   line      = 0;       ///< the first of these
  std::size_t   structure = 0;       ///< offset of its order and lengths in `structure`
  std::size_t   column    = 0;       ///< offset of its columns in `column`
};

/// Consecutive rows. Those with very many entries are left out: they are in chunks.
struct Tile {
  Local            row;  ///< the first
  Local            rows; ///< long ones included
  Kind             kind   = Kind::empty;
  Coding           coding = kernels::plain_coding;
  bool             mixed  = false; ///< diagonal: it has values, and so have its patterns
  std::uint32_t    table  = 0;
  std::uint32_t    values = 0;       ///< coded values
  float            cost   = 0;       ///< predicted nanoseconds of a product
  const std::byte *value  = nullptr; ///< [coded_bytes(coding, values)]
  DiagonalTile     diagonal{};
  GatherTile       gather{};
};

/// Consecutive entries, whatever rows they are in (the paper's chunk). Rows without entries between its rows are
/// written with it; others are in tiles without entries.
struct Chunk {
  Local            row; ///< of the first entry
  std::uint32_t    entries;
  std::uint32_t    segments; ///< rows that have entries here
  Coding           coding    = kernels::plain_coding;
  Columns          columns   = Columns::bits32;
  bool             scattered = false;   ///< almost every entry is in another cache line of x than the one before
  bool             gaps      = false;   ///< the rows of the segments are not one after the other
  bool             continues = false;   ///< its first row began before
  bool             ends      = false;   ///< its last row ends here
  Local            least = 0, most = 0; ///< columns
  std::uint32_t    table     = 0;
  std::uint32_t    number    = 0; ///< among the chunks in the order of rows and, within a row, of entries
  float            cost      = 0;
  std::size_t      structure = 0;       ///< offset of its gaps and ends in `structure`
  std::size_t      column    = 0;       ///< offset of its columns in `column`
  const std::byte *value     = nullptr; ///< [coded_bytes(coding, entries)]
};

/// Columns whose entries of x are in one cache line, which is numbered by the first of them over this. Where x does not
/// begin with a line, it is another one for some of them.
template <class Scalar> inline constexpr Local line_columns = 64 / sizeof(Scalar);

template <class Scalar> struct Layout {
  Local                rows, cols;
  const Tile          *tile; ///< in the order of rows
  std::size_t          tiles;
  const Chunk         *chunk; ///< in the order in which they are done
  std::size_t          chunks;
  const Run           *run;
  const Pattern       *pattern;
  const Local         *slot_offset;
  const LaneMask      *slot_lanes;
  const Scalar        *pattern_value;
  const std::uint32_t *tile_strip; ///< numbers of the strips of tiles
  const Strip         *strip;
  const std::uint32_t *strip_pattern; ///< of the strip_groups groups of each strip; those behind the end of a tile have none
  const Local         *strip_offset;  ///< of slots of strips
  const StripMask     *strip_lanes;
  const Scalar        *strip_value;
  const int           *strip_alike;
  const Local         *x_line;    ///< lists of cache lines of x, by number
  const std::byte     *structure; ///< orders and lengths of gather tiles, gaps and ends of chunks
  const std::byte     *column;    ///< columns of gather tiles and chunks, one after the other so that one can look ahead
  const Scalar *const *table;     ///< [number of tables] each as long as its coding says
};

} // namespace petscspmv::ccoo
