#pragma once

/// \file aijspec_device_tiles.cuh
/// Tiles of equal numbers of nonzeros: for rows of any lengths.

#include "impls/aijspec/aijspec_device_cut_rows.cuh"

namespace petscspmv::aijspec {

/// What the threads of a block share besides the products.
template <int entries, class Index> struct TileState {
  /// A row of a tile with more entries than both is too long for the lanes that share a row.
  static constexpr int long_row = 64, long_row_a_lane = 24;

  bool  cut; ///< a tile has left a part of a cut row
  int   long_rows;
  Index long_row_of[entries / long_row + 1]; ///< rows of the tile
};

/// Where a tile's sum of a row with the entries from .. to - 1 goes.
template <class Scalar, class Index, class Values>
__device__ void deliver(const Product<Scalar, Index, Values> &p, unsigned t, const Tile<Index> &tile, Index row, Index from, Index to,
                        Scalar sum, bool &cut)
{
  if (from >= tile.begin && to <= tile.end) return from == to ? p.update.empty(row) : p.update(row, sum);
  cut                                                 = true;
  (to > tile.end ? p.a.cut[t].tail : p.a.cut[t].head) = sum;
}

/// The part of a row that a tile has, as places in the window.
template <class Index> struct RowPart {
  int        low, high;
  __device__ RowPart(const Tile<Index> &tile, Index window, Index from, Index to)
    : low(static_cast<int>((from > tile.begin ? from : tile.begin) - window)),
      high(static_cast<int>((to < tile.end ? to : tile.end) - window))
  {
  }
};

/// The sum of part of a row by the lanes of a warp: as many loads in flight at a time as rows of this length
/// deserve.
template <class Scalar> __device__ Scalar sum_by_warp(const Scalar *product, int low, int high)
{
  constexpr int warp = 32;
  Scalar        sum  = 0;
#pragma unroll 4
  for (int i = low + threadIdx.x % warp; i < high; i += warp) sum += product[i];
  return sum;
}

/// The sums over the rows of tile t from the products of its window. The lanes that share a row are as many as there
/// are for the rows.
template <int threads, int entries, class Scalar, class Index, class Values>
__device__ void sum_tile_rows(const Product<Scalar, Index, Values> &p, unsigned t, const Tile<Index> &tile, Index window,
                              const Scalar *product, TileState<entries, Index> &state)
{
  constexpr int warp = 32;
  const auto   &a    = p.a;
  // Of a dirty tile, only the rows that may be cut.
  const bool dirty = is_dirty(tile);
  const int  rows  = dirty ? 2 : static_cast<int>(tile.last_row - tile.first_row);
  int        lanes = 1;
  while (lanes < warp && 2 * lanes * rows <= threads) lanes *= 2;
  const int lane = threadIdx.x & (lanes - 1), together = threads / lanes;
  for (int r = 0; r < rows; r += together) {
    const int k   = r + threadIdx.x / lanes;
    Index     row = 0, from = 0, to = 0;
    Scalar    sum     = 0;
    bool      is_long = false;
    if (k < rows) {
      row  = dirty && k == 1 ? tile.last_row - 1 : tile.first_row + k;
      from = __ldg(a.row_ptr + row);
      to   = __ldg(a.row_ptr + row + 1);
      const RowPart<Index> part(tile, window, from, to);
      is_long = part.high - part.low > state.long_row && part.high - part.low > state.long_row_a_lane * lanes;
      if (lanes == warp) sum = sum_by_warp(product, part.low, is_long ? 0 : part.high);
      else
        for (int i = part.low + lane; i < (is_long ? 0 : part.high); i += lanes) sum += product[i];
    }
    sum = kernels::sum_over_lanes(sum, lanes);
    if (k >= rows || lane > 0) continue;
    if (is_long) state.long_row_of[atomicAdd(&state.long_rows, 1)] = row; // in any order: each has its own sum
    else deliver(p, t, tile, row, from, to, sum, state.cut);
  }
  __syncthreads();
  for (int k = threadIdx.x / warp; k < state.long_rows; k += threads / warp) {
    const Index          row = state.long_row_of[k], from = __ldg(a.row_ptr + row), to = __ldg(a.row_ptr + row + 1);
    const RowPart<Index> part(tile, window, from, to);
    const Scalar         sum = kernels::sum_over_lanes(sum_by_warp(product, part.low, part.high), warp);
    if (threadIdx.x % warp == 0) deliver(p, t, tile, row, from, to, sum, state.cut);
  }
}

/// What a thread holds of a window: entries threadIdx.x, threadIdx.x + threads, ..
template <int threads, int each, class Scalar, class Index, class Values> struct Entries {
  Index                  col[each];
  typename Values::First val[each];

  /// Those of the window from entry `begin` on. The arrays may be the parent's, and end with the last entry: it stands
  /// for those beyond, which are multiplied like all others, and nobody looks at the products.
  __device__ void load(const DeviceLayout<Scalar, Index, Values> &a, Index begin)
  {
    const Index last = a.nonzeros - 1 - begin;
    const auto  at   = [last](int k) { return min(static_cast<Index>(threadIdx.x + k * threads), last); };
#pragma unroll
    for (int k = 0; k < each; ++k) col[k] = kernels::load_once(a.col + begin + at(k));
#pragma unroll
    for (int k = 0; k < each; ++k) val[k] = kernels::load_once(a.val.first() + begin + at(k));
  }
};

/// Tile t, whose entries the threads hold; `meanwhile` is called when the entries of x are in flight.
template <int threads, int each, class Scalar, class Index, class Values, class Meanwhile>
__device__ void multiply_tile(const Product<Scalar, Index, Values> &p, unsigned t, Index window,
                              const Entries<threads, each, Scalar, Index, Values> &entries, Scalar *product,
                              TileState<threads * each, Index> &state, Meanwhile meanwhile)
{
  // The row pointer of the tile comes near while the entries of x are in flight: 5 % to 8 % of the time of a
  // product.
  const Tile<Index> tile = p.a.tile[t];
  if (threadIdx.x <= tile.last_row - tile.first_row)
    asm volatile("prefetch.global.L1 [%0];" ::"l"(p.a.row_ptr + tile.first_row + threadIdx.x));
  Scalar x[each];
#pragma unroll
  for (int k = 0; k < each; ++k) x[k] = kernels::load_shared(p.x + entries.col[k]);
  Scalar val[each];
#pragma unroll
  for (int k = 0; k < each; ++k) val[k] = p.a.val.value(entries.val[k]);
  meanwhile();
#pragma unroll
  for (int k = 0; k < each; ++k) x[k] = kernels::product(val[k], x[k], p.conjugate);
  if (tile.last_row - tile.first_row == 1) { // all in one row: the products need not go through shared memory
    const int low = static_cast<int>(tile.begin - window), high = static_cast<int>(tile.end - window);
    Scalar    sum = 0;
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const int i = threadIdx.x + k * threads;
      if (i >= low && i < high) sum += x[k];
    }
    sum              = kernels::block_sum<threads>(sum);
    const Index *row = p.a.row_ptr + tile.first_row;
    if (threadIdx.x == 0) deliver(p, t, tile, tile.first_row, __ldg(row), __ldg(row + 1), sum, state.cut);
  } else {
#pragma unroll
    for (int k = 0; k < each; ++k) product[threadIdx.x + k * threads] = x[k];
    if (threadIdx.x == 0) state.long_rows = 0;
    __syncthreads();
    sum_tile_rows<threads>(p, t, tile, window, product, state);
  }
  __syncthreads();
}

/// Tiles first, first + stride, .. While the sums of a tile are made, the entries of the next are in flight.
template <int threads, int each, class Scalar, class Index, class Values>
__device__ void multiply_tiles(const Product<Scalar, Index, Values> &p, unsigned first, unsigned stride, unsigned char *shared)
{
  constexpr int size = threads * each;
  __shared__ TileState<size, Index>             state;
  Entries<threads, each, Scalar, Index, Values> now, next;
  const auto                                   &a      = p.a;
  const auto                                    window = [&](unsigned t) { return static_cast<Index>(t) * a.tile_step; };
  if (threadIdx.x == 0) state.cut = false;
  now.load(a, window(first));
  for (unsigned t = first; t < a.tiles; t += stride) {
    multiply_tile(p, t, window(t), now, reinterpret_cast<Scalar *>(shared), state, [&] {
      if (t + stride < a.tiles) next.load(a, window(t + stride));
    });
    now = next;
  }
  if (state.cut) join_cut_rows<threads>(p, first, stride, shared);
}

} // namespace petscspmv::aijspec
