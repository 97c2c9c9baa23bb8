#pragma once

/// \file bccoo_image.hpp
/// A matrix in blocks as it lies on a device, in host memory: what is copied there, and what comes back to be decoded.
///
/// Blocks are taken in *tiles*, each the work of one warp: whole block rows, or parts of such that are long. A lane
/// takes up to 8, 16 or 32 consecutive blocks of a tile, a multiple of four, and has a word of as many bits
/// (`flag_bits`), which say where block rows end; what is open at its end is added to what the next lanes have by one
/// scan over the warp. So all lanes do the same, however long block rows are. A tile ends with the block row that
/// leaves least for its last lanes to do. A tile of one block row alone is dealt out block by block instead, so that
/// neighbours read neighbours.
///
/// Values of a block are kept column by column. All that lanes read is in *pieces* of 16 bytes at most, of which the
/// first ones of all lanes come first, then the second ones, ...: a warp reads up to 512 bytes that follow each other.
/// Values of a lane are numbered block by block for that, and may be in the piece of the next block.

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/csr_view.hpp"
#include "core/options.hpp"
#include "impls/bccoo/bccoo_layout.hpp"
#include "kernels/host/room.hpp"

namespace petscspmv::bccoo::image {

inline constexpr int         lanes = 32;
inline constexpr std::size_t grain = 16; ///< columns and values of a tile begin at a multiple of so many bytes

/// Entries of a table that are looked through on a device, where a value is coded there: of one byte a code.
inline constexpr std::int64_t searched_on_device = 256;

/// Columns of blocks in a piece, of 16 or of 32 bits.
inline constexpr int columns_of_piece = 4;

/// The blocks of 32 lanes.
struct alignas(16) Tile {
  Local         segment;       ///< number of the first, see bccoo_layout.hpp
  Local         least;         ///< block column, to which columns are differences
  std::uint32_t column, value; ///< places, over `grain`
  std::uint32_t table;         ///< place of its table of values
  std::uint32_t begin;         ///< if it continues: number of its place in `begin`
  std::uint16_t blocks, segments;
  std::uint8_t  coding;
  std::uint8_t  wide : 1;            ///< columns of 32 bits
  std::uint8_t  continues : 1;       ///< its first segment has begun in the tile before
  std::uint8_t  goes_on : 1;         ///< its last segment goes on in the next tile; it has all the blocks that a tile can have
  std::uint8_t  scattered_lanes : 1; ///< of one segment, dealt out block by block; the same
  std::uint8_t  zeros : 1;           ///< it has values that are no entries, and masks
  std::uint8_t  lane_blocks;         ///< that a lane takes; those of the last lanes may be missing
};

/// A block row in several tiles, first .. last.
struct CutRow {
  Local         segment;
  std::uint32_t first, last;
};

/// Calls visit(name, array...) for each array of one or several images, or of what has arrays of the same names.
template <class Visit, class... Images> void for_each_array(const Visit &visit, Images &...m)
{
  visit("tiles", m.tile...);
  visit("flags of blocks", m.flags...);
  visit("columns", m.column...);
  visit("values", m.value...);
  visit("tables of values", m.table...);
  visit("masks of blocks with zeros", m.mask...);
  visit("places of masks", m.mask_begin...);
  visit("block rows that are not empty", m.filled...);
  visit("block rows that are empty", m.vacant...);
  visit("cut block rows", m.cut...);
  visit("entries with which tiles go on", m.begin...);
}

/// What is known of an image besides its arrays.
struct Summary {
  Shape         shape{1, 1, true};
  Local         rows = 0, cols = 0;
  int           slices       = 1;
  Local         segments     = 0;
  int           flag_bits    = 8;
  std::uint32_t most_ends    = 0;     ///< block rows that end in a tile
  bool          in_registers = false; ///< where sums wait on a device, see bccoo_device_sums.cuh
  bool          all_raw      = true;  ///< all tiles
  std::int64_t  blocks = 0, zeros = 0;
  std::size_t   tables      = 0;
  bool          long_tables = false; ///< of values, for some tiles: longer than what is searched on a device
  bool          sorted      = true;  ///< columns ascend in every row, so that entries are in the order of blocks

  /// Of the matrix; numbers of block rows go on from there with those of the next slice.
  Local block_rows() const { return (rows + shape.rows - 1) / shape.rows; }
  /// Rows that tiles write to: more than those of the matrix if there are slices.
  std::int64_t written() const { return slices > 1 ? std::int64_t(slices) * block_rows() * shape.rows : rows; }
};

/// What is kept of an image besides what takes a look at each entry.
template <class Scalar> struct Outline : Summary {
  std::vector<Tile>          tile;
  std::vector<Scalar>        table;
  std::vector<std::uint64_t> mask_begin; ///< [tiles], if there are masks
  std::vector<Local>         filled;     ///< [segments] block rows that have blocks; empty if all have
  std::vector<Local>         vacant;     ///< the other ones
  std::vector<CutRow>        cut;
  std::vector<std::int64_t>  begin; ///< [tiles that continue][rows of a block] the first entry of each row
  std::size_t                column_bytes = 0, value_bytes = 0, mask_bytes = 0;
};

/// Whether a device can fill what is left of the image of a matrix that has entries.
inline bool is_filled_on_device(const Summary &m)
{
  return m.sorted && m.slices == 1 && !m.long_tables;
}

template <class Scalar, class Index> class ImagePlan;

template <class Scalar> struct Image : Outline<Scalar> {
  kernels::Room<std::uint8_t>
                           flags; ///< [tiles][32] words of flag_bits bits: bit k is set if the lane's block k is the last of its block row
  kernels::Room<std::byte> column, value;
  kernels::Room<std::uint8_t> mask; ///< [tiles with zeros][blocks][mask_bytes(shape)]

  Image() = default;
  /// What the plan of `a` says. If it is `left`, rooms are to be filled on the device. Throws std::bad_alloc.
  template <class Index> Image(const CsrView<Scalar, Index> &a, const ImagePlan<Scalar, Index> &plan, int threads, bool left = false);

  /// Calls visit(row, column, value) for each entry, block by block and in a block row by row.
  void decode(const std::function<void(Local, Local, Scalar)> &visit) const;
};

/// Where block b of a tile is: its lane, and its number there.
struct Place {
  int lane, k;
};
constexpr Place place_in_tile(int b, int lane_blocks, bool scattered_lanes)
{
  return scattered_lanes ? Place{b % lanes, b / lanes} : Place{b / lane_blocks, b % lane_blocks};
}

/// Bits of a value.
template <class Scalar> constexpr std::size_t value_bits(Coding c)
{
  return c == Coding::table16      ? 4
         : c == Coding::table256   ? 8
         : c == Coding::table65536 ? 16
         : c == Coding::single     ? 4 * sizeof(Scalar)
         : c == Coding::raw        ? 8 * sizeof(Scalar)
                                   : 0;
}

/// Values of a lane that are in one piece: four, if these are not more than 16 bytes.
template <class Scalar> constexpr std::size_t values_of_piece(Coding c)
{
  return 4 * value_bits<Scalar>(c) <= 128 ? 4 : 128 / value_bits<Scalar>(c);
}

/// The number of value v of a lane among all of its tile, where `each` of them are in a piece.
constexpr std::size_t place_of_value(std::size_t each, int lane, std::size_t v)
{
  return (v / each * lanes + static_cast<std::size_t>(lane)) * each + v % each;
}

/// The same for the column of its block k.
constexpr std::size_t place_of_column(int lane, int k)
{
  const int piece = k / columns_of_piece * lanes + lane;
  return static_cast<std::size_t>(piece) * columns_of_piece + static_cast<std::size_t>(k % columns_of_piece);
}

inline Coding coding_of(const Tile &t)
{
  return static_cast<Coding>(t.coding);
}

/// Bytes of the values of a tile, and of its columns.
template <class Scalar> std::size_t value_bytes(const Summary &m, const Tile &t)
{
  return std::size_t(lanes) * t.lane_blocks * static_cast<std::size_t>(m.shape.values()) * value_bits<Scalar>(coding_of(t)) / 8;
}
inline std::size_t column_bytes(const Tile &t)
{
  return std::size_t(lanes) * t.lane_blocks * (t.wide ? 4 : 2);
}

/// Bytes of the flags of a tile, and the bit of a block among them.
inline std::size_t flag_bytes(const Summary &m)
{
  return std::size_t(lanes) * static_cast<std::size_t>(m.flag_bits) / 8;
}
inline std::size_t flag_bit(const Summary &m, Place p)
{
  return static_cast<std::size_t>(p.lane) * static_cast<std::size_t>(m.flag_bits) + static_cast<std::size_t>(p.k);
}

} // namespace petscspmv::bccoo::image
