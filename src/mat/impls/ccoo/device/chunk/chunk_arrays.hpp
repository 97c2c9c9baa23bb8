#pragma once

/// \file chunk_arrays.hpp
/// Chunks as they lie on a device: 512 consecutive entries or, where a row would be cut that need not be, a few less.
///
/// Lane l of a warp has entries 16 l .. 16 l + 15, which are added one after the other; if all are of one row, it has
/// l, l + 32, l + 64, ..., so that neighbours read neighbours. Columns and values are kept so that each lane reads 16
/// bytes at a time, and the warp 512: the 16 entries of a lane, coded, are cut in pieces of 16 bytes (or are one of 8),
/// and the first pieces of all lanes come first, then the second ones, ...

#include <cstddef>
#include <cstdint>
#include <vector>

#include "impls/ccoo/device/chunk/chunk_tuning.hpp"
#include "impls/ccoo/device/kind.hpp"

namespace petscspmv::ccoo::image {

/// 512 entries.
struct alignas(16) Chunk {
  /// Columns of 32 bits from here on are places among the hot columns.
  static constexpr std::uint32_t hot_column = 1U << 31;

  Local         row;           ///< of the first entry
  Local         least;         ///< column
  std::uint32_t column, value; ///< places, over `piece`
  std::uint32_t table;         ///< place of its table of values
  std::uint32_t gap;           ///< place of its gaps, if it has some
  std::uint32_t cut;           ///< the first of its cut rows
  std::uint16_t segments;      ///< rows that have entries here
  std::uint8_t  coding;
  std::uint8_t  wide : 1, continues : 1, goes_on : 1, scattered_lanes : 1;
  std::uint8_t  gaps : 1; ///< the rows of its segments are not one after the other
};

/// Where the entries of a chunk are among those of the matrix.
struct alignas(16) ChunkOrigin {
  std::int64_t  begin;
  std::uint32_t entries;
  std::uint32_t unused;
};

/// A row in several chunks, first .. last.
struct CutRow {
  Local         row;
  std::uint32_t first, last;
};

/// What is known of all chunks.
struct ChunkShape {
  std::uint32_t most_ends  = 0; ///< rows that end in a chunk
  std::uint32_t short_cuts = 0; ///< cut rows with few parts
};
struct ChunkCounts {
  std::int64_t entries_in_chunks = 0;
  std::size_t  tables            = 0;     ///< of values
  bool         consecutive       = false; ///< a multiprocessor takes consecutive chunks
  bool         all_raw           = true;  ///< all chunks
};

/// Where entry i of a chunk is: its lane, and its number there.
struct Place {
  int lane, k;
};
constexpr Place place_in_chunk(int i, bool scattered_lanes)
{
  return scattered_lanes ? Place{i % lanes, i / lanes} : Place{i / each, i % each};
}

/// The number of a place among all that a chunk keeps, where each lane has so many side by side.
constexpr std::size_t number_of(Place p, int together)
{
  const int number = (p.k / together * lanes + p.lane) * together + p.k % together;
  return static_cast<std::size_t>(number);
}
/// The byte at which what takes `size` bytes for each entry is kept for a place.
constexpr std::size_t byte_of(Place p, std::size_t size)
{
  return number_of(p, static_cast<int>(piece / size)) * size;
}

/// A column, and how many entries have it.
struct ColumnCount {
  Local         column;
  std::uint32_t entries;
};

/// Builds on the device what takes a look at each entry.
class Maker {
public:
  virtual ~Maker() = default;
  /// The columns that occur most often in these chunks, `most` of them at most; those that occur as often in their
  /// order.
  virtual std::vector<ColumnCount> most_frequent(const std::vector<ChunkOrigin> &chunks, std::size_t most) const = 0;
};

struct ChunkKind {
  using Shape  = ChunkShape;
  using Counts = ChunkCounts;

  template <class Scalar, class Hold> struct Arrays {
    typename Hold::template Pieces<Chunk>         chunk;
    typename Hold::template Vector<ChunkOrigin>   origin;
    typename Hold::template Vector<std::uint32_t> chunk_order; ///< in which they are multiplied, where that is not their own
    typename Hold::template Room<std::uint16_t>   end;         ///< [chunks][32] bit k: entry k of the lane is the last of its row
    typename Hold::template Vector<std::uint16_t> gap;         ///< rows from the chunk's first one
    typename Hold::template Room<std::byte>       column, value;
    typename Hold::template Pieces<Local>         hot; ///< columns that many entries have, if there are such (hot_columns.hpp); ascending
    typename Hold::template Vector<Scalar>        table;
    typename Hold::template Pieces<CutRow>        cut;
    typename Hold::template Vector<std::uint32_t> cut_order; ///< [cut rows] those with few parts first
  };
  template <class Visit, class... M> static void for_each_array(const Visit &visit, M &...m)
  {
    visit("chunks", m.chunk...);
    visit("origins of chunks", m.origin...);
    visit("order of chunks", m.chunk_order...);
    visit("ends of rows", m.end...);
    visit("gaps between rows", m.gap...);
    visit("columns", m.column...);
    visit("values of chunks", m.value...);
    visit("hot columns", m.hot...);
    visit("tables of values", m.table...);
    visit("cut rows", m.cut...);
    visit("order of cut rows", m.cut_order...);
  }

  static std::int64_t entries(const Counts &c) { return c.entries_in_chunks; }
};

} // namespace petscspmv::ccoo::image
