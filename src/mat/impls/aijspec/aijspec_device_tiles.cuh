#pragma once

/// \file aijspec_device_tiles.cuh
/// Tiles of equal numbers of nonzeros: for rows of any lengths.

#include "impls/aijspec/aijspec_device_layout.cuh"

namespace petscspmv::aijspec {

/// Rows of a tile that are too long for the lanes that share a row.
template <int tile_entries, class Index> struct LongRows {
  static constexpr int entries = 64, entries_a_lane = 24; ///< a row with more than both is long

  int   count;
  Index row[tile_entries / entries + 1];
};

/// The part of a row in a tile, as places in the tile.
template <class Index> struct RowPart {
  int        low, high;
  __device__ RowPart(const Tile<Index> &tile, Index from, Index to)
    : low(static_cast<int>((from > tile.begin ? from : tile.begin) - tile.begin)),
      high(static_cast<int>((to < tile.end ? to : tile.end) - tile.begin))
  {
  }
};

/// Where the sum of the entries from .. to - 1 of a row in tile t goes.
template <class Scalar, class Index>
__device__ void deliver(const Product<Scalar, Index> &p, unsigned t, const Tile<Index> &tile, Index row, Index from, Index to, Scalar sum)
{
  if (to > tile.end) p.a.cut[t].tail = sum;
  else if (from < tile.begin) p.a.cut[t].head = sum;
  else p.update(row, sum);
}

/// The sums over the rows of tile t. The lanes that share a row are as many as there are for the rows of the tile.
template <int threads, int tile_entries, class Scalar, class Index>
__device__ void sum_tile_rows(const Product<Scalar, Index> &p, unsigned t, const Tile<Index> &tile, const Scalar *product,
                              LongRows<tile_entries, Index> &late)
{
  constexpr int warp = 32;
  const auto   &a    = p.a;
  // Of a dirty tile, only the rows that may be cut.
  const Index tile_rows = tile.last_row - tile.first_row;
  const bool  dirty     = tile_rows > tuning::max_rows_per_entry * tile_entries;
  const int   rows      = dirty ? 2 : static_cast<int>(tile_rows);
  int         lanes     = 1;
  while (lanes < warp && 2 * lanes * rows <= threads) lanes *= 2;
  const int lane = threadIdx.x & (lanes - 1), together = threads / lanes;
  for (int r = 0; r < rows; r += together) {
    const int k   = r + threadIdx.x / lanes;
    Index     row = 0, from = 0, to = 0;
    Scalar    sum  = 0;
    bool      mine = k < rows, is_late = false;
    if (mine) {
      row  = dirty && k == 1 ? tile.last_row - 1 : tile.first_row + k;
      from = __ldg(a.row_ptr + row);
      to   = __ldg(a.row_ptr + row + 1);
      mine = from < tile.end || from == to; // the last row may begin after the tile
      const RowPart<Index> part(tile, from, to);
      is_late = part.high - part.low > late.entries && part.high - part.low > late.entries_a_lane * lanes;
      if (!is_late)
        for (int i = part.low + lane; i < part.high; i += lanes) sum += product[i];
    }
    sum = kernels::sum_over_lanes(sum, lanes);
    if (!mine || lane > 0) continue;
    if (is_late) late.row[atomicAdd(&late.count, 1)] = row; // in any order: each has its own sum
    else if (from == to) p.update.empty(row);
    else deliver(p, t, tile, row, from, to, sum);
  }
  __syncthreads();
  for (int k = threadIdx.x / warp; k < late.count; k += threads / warp) {
    const Index          row = late.row[k], from = __ldg(a.row_ptr + row), to = __ldg(a.row_ptr + row + 1);
    const RowPart<Index> part(tile, from, to);
    Scalar               sum = 0;
    for (int i = part.low + threadIdx.x % warp; i < part.high; i += warp) sum += product[i];
    sum = kernels::sum_over_lanes(sum, warp);
    if (threadIdx.x % warp == 0) deliver(p, t, tile, row, from, to, sum);
  }
}

/// A tile: the products of all entries go to shared memory and are summed there, row by row.
///
/// Where all entries are in tiles (`everywhere`), the entries of tile t are known without looking: one wait less.
template <bool everywhere, int threads, int each, class Scalar, class Index>
__device__ void multiply_tile(const Product<Scalar, Index> &p, unsigned t, unsigned char *shared)
{
  __shared__ LongRows<threads * each, Index> late;
  const auto                                &a       = p.a;
  Scalar *const                              product = reinterpret_cast<Scalar *>(shared);
  Index                                      begin, end;
  if constexpr (everywhere) {
    begin = static_cast<Index>(t) * (threads * each);
    end   = a.nonzeros - begin > threads * each ? begin + threads * each : a.nonzeros;
  } else {
    begin = a.tile[t].begin;
    end   = a.tile[t].end;
  }
  const int n = static_cast<int>(end - begin), first = threadIdx.x;
  Index     col[each];
  Scalar    val[each];
#pragma unroll
  for (int k = 0; k < each; ++k) {
    const int i = first + k * threads;
    col[k]      = -1;
    if (i < n) {
      col[k] = kernels::load_once(a.col + begin + i);
      val[k] = kernels::load_once(a.val + begin + i);
    }
  }
  if (first == 0) late.count = 0;
  // The row pointer of the tile comes near while the entries of x are on their way: 5 % to 8 % of the time of a product.
  const Tile<Index> tile = a.tile[t];
  if (first <= tile.last_row - tile.first_row) asm volatile("prefetch.global.L1 [%0];" ::"l"(a.row_ptr + tile.first_row + first));
#pragma unroll
  for (int k = 0; k < each; ++k)
    if (col[k] >= 0) product[first + k * threads] = kernels::product(val[k], kernels::load_shared(p.x + col[k]), p.conjugate);
  __syncthreads();
  sum_tile_rows<threads>(p, t, tile, product, late);
}

} // namespace petscspmv::aijspec
