#pragma once

/// \file aijspec_device_tiles.cuh
/// Tiles of equal numbers of nonzeros: for rows of any lengths.

#include "impls/aijspec/aijspec_device_layout.cuh"

namespace petscspmv::aijspec {

/// The entries of a tile in registers: thread i has entries i, i + block_threads, ...
template <class Scalar, class Index> struct TileEntries {
  static constexpr int each = tuning::tile_entries_per_thread;
  Index                col[each];
  Scalar               val[each];

  __device__ void load(const DeviceLayout<Scalar, Index> &a, const Tile<Index> &tile)
  {
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const Index e = tile.begin + static_cast<int>(threadIdx.x) + k * tuning::block_threads;
      if (e >= tile.end) continue;
      col[k] = kernels::load_once(a.col + e);
      val[k] = kernels::load_once(a.val + e);
    }
  }

  /// product[i] = val[i] x[col[i]] for the n entries of the tile.
  __device__ void multiply(const Product<Scalar, Index> &p, int n, Scalar *product) const
  {
    Scalar xs[each];
#pragma unroll
    for (int k = 0; k < each; ++k)
      if (static_cast<int>(threadIdx.x) + k * tuning::block_threads < n) xs[k] = kernels::load_shared(p.x + col[k]);
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const int i = threadIdx.x + k * tuning::block_threads;
      if (i < n) product[i] = kernels::product(val[k], xs[k], p.conjugate);
    }
  }
};

/// Rows of a tile that are too long for the lanes that share a row.
template <class Index> struct LongRows {
  static constexpr int entries = 64, entries_a_lane = 24; ///< a row with more than both is long

  int   count;
  Index row[DeviceLayout<double, Index>::tile_entries / entries + 1];
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
template <class Scalar, class Index>
__device__ void sum_tile_rows(const Product<Scalar, Index> &p, unsigned t, const Tile<Index> &tile, const Scalar *product,
                              LongRows<Index> &late)
{
  constexpr int threads = tuning::block_threads, warp = 32;
  const auto   &a = p.a;
  // Of a dirty tile, only the rows that may be cut.
  const Index tile_rows = tile.last_row - tile.first_row;
  const bool  dirty     = tile_rows > tuning::max_tile_rows;
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

/// Tiles first .. last - 1: the products of all entries of a tile go to shared memory and are summed there, while the entries of the next
/// tile are on their way.
template <class Scalar, class Index>
__device__ void multiply_tiles(const Product<Scalar, Index> &p, unsigned first, unsigned last, unsigned char *shared)
{
  __shared__ LongRows<Index> late;
  Scalar *const              product = reinterpret_cast<Scalar *>(shared);
  Tile<Index>                tile    = p.a.tile[first];
  TileEntries<Scalar, Index> entries;
  entries.load(p.a, tile);
  for (unsigned t = first;;) {
    if (threadIdx.x == 0) late.count = 0;
    entries.multiply(p, static_cast<int>(tile.end - tile.begin), product);
    const Tile<Index> now = tile;
    if (tuning::tiles_per_block > 1 && t + 1 < last) {
      tile = p.a.tile[t + 1];
      entries.load(p.a, tile);
    }
    __syncthreads();
    sum_tile_rows(p, t, now, product, late);
    if (++t == last) return;
    __syncthreads();
  }
}

} // namespace petscspmv::aijspec
