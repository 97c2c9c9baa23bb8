#pragma once

/// \file ccoo_image.hpp
/// A matrix as it lies on a device, in host memory: what a plan becomes before it is copied there, and what comes back
/// to be decoded.
///
/// A small matrix consists of *batches*, 1024 entries of whole rows each, which are the work of a block of threads:
/// tiles/batch_image.hpp. For others there are five kinds of pieces, each the work of one warp or, where it says tile,
/// of a block of threads:
///
/// - a *unit* is a group of 128 rows of a diagonal tile, or what is left of one at the end of a tile. Lane l has rows l, l + 32, l + 64 and
///   l + 96. Groups without entries are units, too, of a pattern without slots.
/// - a *chunk* is 512 consecutive entries or, where a row would be cut that need not be, a few less. Lane l has entries 16 l .. 16 l + 15,
///   which are added one after the other; if all are of one row, it has l, l + 32, l + 64, ..., so that neighbours read neighbours.
/// - a *tile of repeated rows* is 768 rows, each of which says where its entries are: tiles/repeated_image.hpp.
/// - a *local tile* is up to 256 rows, one to a lane, that need few entries of x and have few different values: tiles/local_image.hpp.
/// - a *unit of nodes* is 32 nodes of a gather tile, one to a lane: tiles/node_image.hpp.
///
/// Columns and values of chunks are kept so that each lane reads 16 bytes at a time, and the warp 512: the 16 entries
/// of a lane, coded, are cut in pieces of 16 bytes (or are one of 8), and the first pieces of all lanes come first,
/// then the second ones, ...

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/csr_view.hpp"
#include "core/options.hpp"
#include "impls/ccoo/ccoo_device_tuning.hpp"
#include "impls/ccoo/ccoo_group.hpp"
#include "impls/ccoo/ccoo_layout.hpp"
#include "impls/ccoo/tiles/gather.hpp"
#include "kernels/host/room.hpp"

namespace petscspmv::ccoo {
template <class Scalar, class Index, class Group> struct Plan;
}

namespace petscspmv::ccoo::image {

using kernels::Room;

inline constexpr int         lanes       = 32;
inline constexpr int         groups      = DeviceGroup::rows / lanes;    ///< rows of a lane in a unit
inline constexpr int         each        = device_chunk_entries / lanes; ///< entries of a lane in a chunk
inline constexpr std::size_t piece       = 16;                           ///< bytes that a lane reads at a time
inline constexpr std::size_t value_grain = 32;                           ///< values of a unit begin at a multiple of this

/// 128 rows, or fewer.
struct alignas(16) Unit {
  Local         row, end;
  std::uint32_t pattern;
  std::uint32_t value; ///< streamed: its first value, over value_grain
};

/// What rows of a unit look like. Slots that all lanes have come first.
struct alignas(16) Pattern {
  /// first_value where values are not packed. mixed: those of some slots are with the slot, the others are streamed
  static constexpr std::uint32_t by_slot = ~0U, streamed = ~0U - 1, mixed = ~0U - 2;

  std::uint32_t first_slot;
  std::uint32_t first_lanes; ///< in words of 32 bits, for the slots that are not full
  std::uint32_t first_value;
  std::uint16_t slots, full;
};

/// An offset that rows of a pattern have. All that a lane wants to know of it is in one load or two.
template <class Scalar> struct alignas(16) Slot {
  static constexpr std::uint32_t alone = ~0U; ///< `before`, of a slot of a mixed pattern that has its value with it

  Scalar        value; ///< by_slot, and where it is alone
  Local         offset;
  std::uint32_t before; ///< entries of the pattern in the slots before; mixed: streamed ones
};

/// Rows that occur again and again.
struct alignas(16) RepeatedTile {
  static constexpr int           length_bits  = 5; ///< of a word; the others say where the first entry is
  static constexpr std::uint32_t most_entries = (1U << length_bits) - 1;
  static constexpr std::size_t   most_kept    = 1U << (16 - length_bits); ///< entries of different rows
  static constexpr std::size_t   grain        = 8;                        ///< entries of a tile begin at a multiple of this
  static constexpr std::size_t   windows      = 6;                        ///< at most

  Local         row, end;
  std::uint32_t word;    ///< the first
  std::uint32_t entry;   ///< the first, over `grain`
  std::uint32_t entries; ///< of different rows
  std::uint32_t longest; ///< entries of a row
  std::uint32_t unused[2];
};

/// Columns whose x a tile of repeated rows has in shared memory. No columns: not used.
struct alignas(16) RepeatedWindow {
  Local         column, length;
  Local         place; ///< of the first one's x; odd where the column is
  std::uint32_t unused;
};

/// Up to 256 rows whose x a block of threads has in shared memory.
struct alignas(16) LocalTile {
  static constexpr int           rows = 256, warps = rows / lanes; ///< at most
  static constexpr int           sector       = 4;                 ///< columns whose x is brought together
  static constexpr int           sectors      = 352;               ///< at most
  static constexpr int           together     = 4;                 ///< entries of a lane in a step
  static constexpr int           step_entries = lanes * together;
  static constexpr int           longest      = 64 * together;    ///< entries of a row
  static constexpr int           values       = 256;              ///< different ones
  static constexpr std::uint16_t nowhere      = sectors * sector; ///< the place of a zero

  Local         row, end;
  std::uint32_t first_sector, number_of_sectors;
  alignas(8) std::uint8_t steps[warps]; ///< of each warp
  std::uint32_t first_step;
  std::uint32_t unused;
};

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

/// 32 nodes of a tile, or fewer.
struct alignas(16) NodeUnit {
  Local         row, least;    ///< of the tile
  std::uint32_t column, value; ///< places, over `piece` and value_grain
  std::uint16_t rows;          ///< of the tile
  std::uint8_t  rows_of_node;
  std::uint8_t  wide : 1, blocked : 1;
  std::uint32_t unused[3];
};

/// The node of a lane.
struct NodeLane {
  static constexpr std::uint16_t none = 0xffff;

  std::uint16_t node; ///< of the tile
  std::uint16_t steps;
};

/// 1024 entries of whole rows, or of one or two rows in parts: the end of one, or a part from its midst, and the
/// beginning of the next.
struct alignas(16) Batch {
  enum Rows : std::uint8_t {
    in_order, ///< one after the other, but for those that are in other batches
    listed,   ///< any
    part, ///< one that begins before or goes on behind it, or two: all rows in parts, one after the other, are in these, which come first
  };
  static constexpr std::uint16_t elsewhere = 0x8000; ///< of an end: the row is in another batch
  static constexpr std::uint32_t end_grain = 4;      ///< ends of a batch begin at a multiple of this

  Local row; ///< the first, in parts, too; or the place of the first in the list
  std::uint32_t
    end; ///< the place of 0 and the ends of its rows, over `end_grain`; or the number of the batch in which the row in parts begins
  std::uint16_t rows;      ///< or entries of the row in parts that ends in the batch, 0 if it goes on; others are of the next batch's row
  std::uint8_t  lanes : 7; ///< of a row: the logarithm of how many
  std::uint8_t  by_fours : 1; ///< threads add their four products before rows are summed
  Rows          kind;
  std::uint32_t least; ///< column; or entries in parts, whose columns are as they are
};

/// Of the row in parts that batch b, number i, begins with: its entries in batches before, the first of which is
/// `first`.
constexpr std::int64_t entries_before(const Batch &b, const Batch &first, std::int64_t i)
{
  return (i - b.end) * device_batch_entries - first.rows;
}

/// Some planes of some units side by side, for a block of threads (tiles/slide_image.hpp).
struct alignas(16) Slide {
  Local         row; ///< the first of the first plane
  std::int32_t  planes;
  Local         rows; ///< of a plane
  std::uint32_t unused;
  std::uint32_t data[4]; ///< of the pattern of each warp
};

/// What has no slot among slots.
inline constexpr std::uint32_t no_slot = ~0U;

/// Two weights, or one and an offset in the lower half of the second.
struct alignas(16) SlideData {
  double first, second;
};

/// Of sliding units: chains and singles of a pattern at most, units side by side.
struct SlideShape {
  int chains, singles, warps;

  bool operator==(const SlideShape &) const = default;
};
/// Those that there is a kernel for, which has all weights in registers.
inline constexpr std::array<SlideShape, 4> slide_shapes{{{1, 2, 4}, {1, 4, 4}, {3, 0, 4}, {9, 0, 2}}};
/// All others, of up to so many chains and singles together, have one kernel.
inline constexpr int most_slide_parts = 64, many_slide_warps = 2;
/// Words of 32 bits that say which chains and singles a row has.
constexpr int slide_words(const SlideShape &shape)
{
  return std::find(slide_shapes.begin(), slide_shapes.end(), shape) != slide_shapes.end() ? 1 : most_slide_parts / 32;
}

/// When units slide.
struct SlideRules {
  explicit SlideRules(const OptionValues &options);

  bool         any; ///< else none does
  Local        least_stride, least_rows;
  Local        widest;       ///< from the lowest to the highest offset within a plane
  std::int64_t least_planes; ///< that are alike
  std::size_t  least_jobs;
  std::int64_t least_job_planes; ///< of a job that might have more
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

/// Calls visit(name, array...) for each array of one or several images, or of what has arrays of the same names.
template <class Visit, class... Images> void for_each_array(const Visit &visit, Images &...m)
{
  visit("units", m.unit...);
  visit("patterns", m.pattern...);
  visit("slots of patterns", m.slot...);
  visit("lanes of patterns", m.lanes_of_slots...);
  visit("values of patterns", m.pattern_value...);
  visit("values of units", m.unit_value...);
  visit("tiles of repeated rows", m.repeated...);
  visit("words of repeated rows", m.repeated_word...);
  visit("values of repeated rows", m.repeated_value...);
  visit("offsets of repeated rows", m.repeated_offset...);
  visit("places of x of repeated rows", m.repeated_place...);
  visit("windows of repeated rows", m.repeated_window...);
  visit("local tiles", m.local...);
  visit("sectors of local tiles", m.local_sector...);
  visit("order of rows of local tiles", m.local_row...);
  visit("places of x of local tiles", m.local_place...);
  visit("codes of local tiles", m.local_code...);
  visit("values of local tiles", m.local_value...);
  visit("chunks", m.chunk...);
  visit("origins of chunks", m.origin...);
  visit("order of chunks", m.chunk_order...);
  visit("ends of rows", m.end...);
  visit("gaps between rows", m.gap...);
  visit("columns", m.column...);
  visit("values of chunks", m.value...);
  visit("hot columns", m.hot...);
  visit("tables of values", m.table...);
  visit("jobs of sliding units", m.slide...);
  visit("weights of sliding units", m.slide_data...);
  visit("slots of weights", m.slide_slot...);
  visit("units of nodes", m.node...);
  visit("order and lengths of nodes", m.node_lane...);
  visit("columns of nodes", m.node_column...);
  visit("values of nodes", m.node_value...);
  visit("cut rows", m.cut...);
  visit("order of cut rows", m.cut_order...);
  visit("batches", m.batch...);
  visit("ends of rows in batches", m.batch_end...);
  visit("rows listed in batches", m.batch_row...);
  visit("columns of batches", m.batch_column...);
  visit("values of batches", m.batch_value...);
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

/// What is known of an image besides its arrays.
struct Summary {
  Local                                     rows = 0, cols = 0;
  std::int64_t                              entries_in_units = 0, entries_in_nodes = 0, entries_in_chunks = 0, entries_repeated = 0;
  std::int64_t                              rows_repeated = 0, entries_in_batches = 0, entries_in_local = 0;
  std::size_t                               distinct_rows = 0;     ///< of tiles whose rows are repeated
  std::uint32_t                             most_kept     = 0;     ///< entries of different rows of such a tile, a multiple of its grain
  std::uint32_t                             most_near     = 0;     ///< entries of x that such a tile has in shared memory; 0: none has
  std::array<std::uint32_t, node_limit + 1> units_of_nodes{};      ///< [rows of a node]
  std::uint32_t                             plain_units = 0;       ///< that do not slide: they come first
  Local                                     stride      = 0;       ///< of sliding units,
  Local                                     slide_low   = 0;       ///< the lowest and
  Local                                     slide_high  = 0;       ///< the highest of their offsets within a plane,
  SlideShape                                slide_shape{};         ///< and their shape
  std::uint32_t                             most_ends     = 0;     ///< rows that end in a chunk
  std::uint32_t                             short_cuts    = 0;     ///< cut rows with few parts
  bool                                      consecutive   = false; ///< a multiprocessor takes consecutive chunks
  bool                                      all_raw       = true;  ///< all chunks
  bool                                      all_by_slot   = true;  ///< all patterns
  bool                                      long_tables   = false; ///< of more than 16 values, for chunks or batches
  Coding                                    batch_coding  = Coding::raw; ///< of the values of all batches
  bool                                      batch_wide    = false;       ///< their columns have 32 bits
  std::uint32_t                             rows_in_parts = 0;           ///< of batches
};

template <class Scalar> struct Image : Summary {
  std::vector<Unit>           unit;
  std::vector<Pattern>        pattern;
  std::vector<Slot<Scalar>>   slot;
  std::vector<std::uint32_t>  lanes_of_slots; ///< [patterns][slots that are not full / 32, rounded up][128] bit k: lane has slot k of these
  std::vector<Scalar>         pattern_value;
  Room<Scalar>                unit_value; ///< [unit][entries, slot by slot]
  std::vector<RepeatedTile>   repeated;
  Room<std::uint16_t>         repeated_word; ///< [tiles][rows / 128][32][4] of lane l: rows l, l + 32, l + 64, l + 96
  Room<Scalar>                repeated_value;
  Room<Local>                 repeated_offset; ///< column - row, if there are no windows; else
  Room<std::int16_t>          repeated_place;  ///< that of x less the number of the row in the tile
  std::vector<RepeatedWindow> repeated_window; ///< [tiles][RepeatedTile::windows]
  std::vector<LocalTile>      local;
  std::vector<Local>          local_sector; ///< [local tiles][sectors] the first column of each, over LocalTile::sector
  std::vector<std::uint8_t>   local_row;    ///< [local tiles][256] row of each lane
  Room<std::uint16_t>         local_place;  ///< [local tiles][warps][steps][32][4] where x is in shared memory, in bytes
  Room<std::uint8_t>          local_code;   ///< likewise: number of the value
  std::vector<Scalar>         local_value;  ///< [256]
  std::vector<Chunk>          chunk;
  std::vector<ChunkOrigin>    origin;
  std::vector<std::uint32_t>  chunk_order; ///< in which they are multiplied, where that is not their own
  Room<std::uint16_t>         end;         ///< [chunks][32] bit k: entry k of the lane is the last of its row
  std::vector<std::uint16_t>  gap;         ///< rows from the chunk's first one
  Room<std::byte>             column, value;
  std::vector<Local>          hot; ///< columns that many entries have, if there are such (tiles/hot_columns.hpp); ascending
  std::vector<Scalar>         table;
  std::vector<Slide>          slide;
  std::vector<SlideData>      slide_data;
  std::vector<std::uint32_t>  slide_slot; ///< [2 of each SlideData] the slot whose value it is, or no_slot
  std::vector<NodeUnit>       node;       ///< those with fewer rows a node first
  std::vector<NodeLane>       node_lane;  ///< [units of nodes][32]
  Room<std::byte>             node_column;
  Room<Scalar>                node_value;
  std::vector<CutRow>         cut;
  std::vector<std::uint32_t>  cut_order; ///< [cut rows] those with few parts first
  std::vector<Batch>          batch;
  std::vector<std::uint16_t>  batch_end; ///< [batches][1 + rows, rounded up to end_grain]
  std::vector<Local>          batch_row;
  Room<std::byte>             batch_column, batch_value; ///< [batches][1024], coded, as they follow each other in the rows

  Image() = default;
  /// What the plan of `a` says, with up to so many hot columns. With a `maker`, rooms are left to be filled on the
  /// device, but for columns of nodes, and for values in tables that are too long to be searched there. Throws
  /// FormatError for a matrix that is too large, and std::bad_alloc.
  template <class Index>
  Image(const CsrView<Scalar, Index> &a, const Plan<Scalar, Index, DeviceGroup> &plan, const OptionValues &options, int threads,
        std::size_t most_hot = tuning::device_hot_columns, const Maker *maker = nullptr);

  /// Calls visit(row, column, value) for each entry; those of a row in their order.
  void decode(const std::function<void(Local, Local, Scalar)> &visit) const;
};

/// Whether units that look so have values of their own.
constexpr bool has_streamed_values(const Pattern &p)
{
  return p.first_value == Pattern::streamed || p.first_value == Pattern::mixed;
}

/// Where the word of a row is among those of its tile.
constexpr std::size_t place_of_word(Local row)
{
  const Local in = row % DeviceGroup::rows;
  return static_cast<std::size_t>(row - in) + static_cast<std::size_t>(in % lanes * groups + in / lanes);
}

/// Where entry k of a lane is in the steps of its warp, the first of which is `step`.
constexpr std::size_t local_place(std::size_t step, std::size_t lane, std::size_t k)
{
  constexpr std::size_t together = LocalTile::together;
  return ((step + k / together) * lanes + lane) * together + k % together;
}

/// `n`, if 32 bits can hold it; else a FormatError.
std::uint32_t counted(std::size_t n, const char *what);

/// Where entry i of a chunk is: its lane, and its number there.
struct Place {
  int lane, k;
};
constexpr Place place_in_chunk(int i, bool scattered_lanes)
{
  return scattered_lanes ? Place{i % lanes, i / lanes} : Place{i / each, i % each};
}

/// The byte at which what takes `size` bytes for each entry is kept for a place.
constexpr std::size_t byte_of(Place p, std::size_t size)
{
  const std::size_t at = static_cast<std::size_t>(p.k) * size;
  return (at / piece * lanes + static_cast<std::size_t>(p.lane)) * piece + at % piece;
}

/// Bytes of a value in a chunk, or 0 if it has none or less than one.
template <class Scalar> constexpr std::size_t coded_size(Coding c)
{
  return c == Coding::table256     ? 1
         : c == Coding::table65536 ? 2
         : c == Coding::single     ? sizeof(Scalar) / 2
         : c == Coding::raw        ? sizeof(Scalar)
                                   : 0;
}

/// Bytes of all values of a chunk, or of so many.
template <class Scalar> constexpr std::size_t coded_bytes(Coding c, std::size_t n = device_chunk_entries)
{
  return c == Coding::table16 ? n / 2 : coded_size<Scalar>(c) * n;
}

} // namespace petscspmv::ccoo::image
