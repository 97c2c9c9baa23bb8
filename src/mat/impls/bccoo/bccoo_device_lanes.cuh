#pragma once

/// \file bccoo_device_lanes.cuh
/// What a lane adds of a tile: its blocks one after the other.
///
/// Sums of block rows that end are handed to `ends.take(sum)`, one after the other: see bccoo_device_sums.cuh. Three
/// forms: blocks that are squares, in registers, with several pieces of values on their way together; blocks of any
/// width, value by value; and the entries alone, without the zeros that are none, for tiles in which such a zero may
/// have met a NaN or an infinity.

#include "impls/bccoo/bccoo_device_tuning.hpp"
#include "impls/bccoo/bccoo_device_values.cuh"

namespace petscspmv::bccoo::device {

/// Blocks of a lane.
struct LaneBlocks {
  int           lane;
  int           blocks; ///< that there are
  std::uint32_t flags;  ///< bit k: block k is the last of its block row
};

/// Columns of four blocks of a lane, as differences to the tile's least.
struct Columns4 {
  std::uint32_t block[4];

  __device__ Columns4(bool wide, const std::byte *of_tile, unsigned at)
  {
    if (wide) {
      const uint4 c = kernels::load_piece(of_tile + std::size_t(at) * sizeof(uint4));
      block[0]      = c.x;
      block[1]      = c.y;
      block[2]      = c.z;
      block[3]      = c.w;
    } else {
      const uint2 c = __ldcs(reinterpret_cast<const uint2 *>(of_tile) + at);
      block[0]      = c.x & 0xffff;
      block[1]      = c.x >> 16;
      block[2]      = c.y & 0xffff;
      block[3]      = c.y >> 16;
    }
  }
};

/// Blocks of b x b that are summed together: whole pieces of `each` values, about as many as shall be on their way
/// together.
template <int b, int each>
inline constexpr int blocks_together = [] {
  int n = 1;
  while (n < image::columns_of_piece && (n * b * b % each != 0 || 2 * n * b * b <= tuning::device_pieces_together * each)) n *= 2;
  return n;
}();

/// Blocks of b x b: x of some blocks at a time, and their values some pieces at a time.
template <int b, class V, class S, class Ends>
__device__ void add_squares(const Product<S> &p, const image::Tile &t, const LaneBlocks &mine, const V &values, Ends &ends, S (&sum)[b])
{
  constexpr int          size = b * b, together = blocks_together<b, V::each>, pieces = together * size / V::each;
  constexpr int          at_a_time = pieces <= tuning::device_pieces_together * 3 / 2 ? pieces : tuning::device_pieces_together;
  const std::byte *const columns   = p.a.column + std::size_t(t.column) * image::grain;
  const Local            last      = p.a.cols - b;
  std::uint32_t          flags     = mine.flags;
  unsigned               at        = mine.lane; // piece
  for (int k = 0; k < mine.blocks; k += image::columns_of_piece, flags >>= image::columns_of_piece) {
    const Columns4 column(t.wide, columns, k / image::columns_of_piece * image::lanes + mine.lane);
#pragma unroll
    for (int g = 0; g < image::columns_of_piece; g += together) {
      S x[together][b];
#pragma unroll
      for (int i = 0; i < together; ++i) {
        const S *const from = p.x + min((t.least + static_cast<Local>(column.block[g + i])) * b, last);
#pragma unroll
        for (int j = 0; j < b; ++j) x[i][j] = kernels::load_shared(from + j);
      }
#pragma unroll
      for (int first = 0; first < pieces; first += at_a_time) {
        typename V::Piece piece[at_a_time];
#pragma unroll
        for (int q = 0; q < at_a_time; ++q)
          if (first + q < pieces) piece[q] = values.load(at + (first + q) * image::lanes);
#pragma unroll
        for (int q = 0; q < at_a_time; ++q)
#pragma unroll
          for (int i = 0; i < V::each; ++i) {
            const int v = (first + q) * V::each + i, block = v / size, place = v % size;
            if (v >= together * size) continue;
            sum[place % b] += kernels::product(values.value(piece[q], i), x[block][place / b], p.conjugate);
            if (place + 1 == size && (flags >> (g + block) & 1)) {
              ends.take(sum);
#pragma unroll
              for (int r = 0; r < b; ++r) sum[r] = S(0);
            }
          }
      }
      at += pieces * image::lanes;
    }
  }
}

/// The first column of block k of a lane.
template <class S> __device__ Local first_column_of(const Product<S> &p, const image::Tile &t, int lane, int k)
{
  const std::byte *const columns = p.a.column + std::size_t(t.column) * image::grain;
  const int              at = (k / image::columns_of_piece * image::lanes + lane) * image::columns_of_piece + k % image::columns_of_piece;
  const std::uint32_t    block =
    t.wide ? __ldg(reinterpret_cast<const std::uint32_t *>(columns) + at) : __ldg(reinterpret_cast<const std::uint16_t *>(columns) + at);
  return min((t.least + static_cast<Local>(block)) * p.a.width, p.a.cols - p.a.width);
}

/// Blocks of h rows.
template <int h, class V, class S, class Ends>
__device__ void add_blocks(const Product<S> &p, const image::Tile &t, const LaneBlocks &mine, const V &values, Ends &ends, S (&sum)[h])
{
  for (int k = 0, v = 0; k < mine.blocks; ++k) {
    const S *const x = p.x + first_column_of(p, t, mine.lane, k);
    for (int j = 0; j < p.a.width; ++j, v += h) {
      const S from = kernels::load_shared(x + j);
#pragma unroll
      for (int r = 0; r < h; ++r) sum[r] += kernels::product(value_of(values, mine.lane, v + r), from, p.conjugate);
    }
    if (!(mine.flags >> k & 1)) continue;
    ends.take(sum);
#pragma unroll
    for (int r = 0; r < h; ++r) sum[r] = S(0);
  }
}

/// The entries of a tile that has masks, whatever its blocks and its coding: seldom needed, and therefore out of the
/// way of the others.
template <int h, class S, class Ends>
__device__ __noinline__ void add_entries(const Product<S> &p, unsigned tile, const image::Tile &t, const LaneBlocks &mine, Ends &ends,
                                         S (&sum)[h])
{
  const int                 size = h * p.a.width, bytes = bytes_of_mask(p.a);
  const std::uint8_t *const masks = p.a.mask + p.a.mask_begin[tile];
  for (int r = 0; r < h; ++r) sum[r] = S(0);
  for (int k = 0; k < mine.blocks; ++k) {
    const S *const            x    = p.x + first_column_of(p, t, mine.lane, k);
    const std::uint8_t *const bits = masks + (t.scattered_lanes ? k * image::lanes + mine.lane : mine.lane * t.lane_blocks + k) * bytes;
    with_values<false>(p.a, t, [&](const auto &values) {
      for (int q = 0; q < size; ++q)
        if (bits[q / 8] >> q % 8 & 1) sum[q % h] += kernels::product(value_of(values, mine.lane, k * size + q), x[q / h], p.conjugate);
    });
    if (!(mine.flags >> k & 1)) continue;
    ends.take(sum);
    for (int r = 0; r < h; ++r) sum[r] = S(0);
  }
}

} // namespace petscspmv::bccoo::device
