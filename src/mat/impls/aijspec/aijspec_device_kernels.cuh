#pragma once

/// \file aijspec_device_kernels.cuh
/// y = alpha op(A) x + beta y on a device. Two kernels: the product, and what it leaves: rows that are cut between tiles, and dirty tiles.

#include "impls/aijspec/aijspec_device_rows.cuh"
#include "impls/aijspec/aijspec_device_tiles.cuh"
#include "kernels/device_block_sum.cuh"

namespace petscspmv::aijspec {

/// What blocks of threads do: blocks of rows, tiles with short or with longer rows, blocks of rows and tiles.
enum class Work { rows, short_tiles, long_tiles, both };

template <Work work>
inline constexpr tuning::TileShape         tile_shape = work == Work::short_tiles ? tuning::short_row_tile : tuning::long_row_tile;
template <Work work> inline constexpr bool only_tiles = work == Work::short_tiles || work == Work::long_tiles;

/// How many threads a block has, and how many such blocks the compiler has to leave room for.
template <Work work, class Scalar> struct BlockShape {
  static constexpr int half      = sizeof(Scalar) == sizeof(double) ? 1 : 2;
  static constexpr int threads   = only_tiles<work> ? tile_shape<work>.threads : tuning::row_threads;
  static constexpr int at_a_time = only_tiles<work>     ? tile_shape<work>.at_a_time / half
                                   : work == Work::rows ? tuning::row_blocks_at_a_time<Scalar>
                                                        : 1;
};

/// Where there are both, tiles stand evenly among the blocks of rows: the ones wait for the second-level cache, the others for memory.
template <Work work, int lanes, class Scalar, class Index>
__global__ void __launch_bounds__(BlockShape<work, Scalar>::threads, BlockShape<work, Scalar>::at_a_time)
  multiply_kernel(const __grid_constant__ Product<Scalar, Index> p)
{
  extern __shared__ __align__(128) unsigned char shared[];
  if constexpr (work != Work::rows) cudaTriggerProgrammaticLaunchCompletion();
  if constexpr (work == Work::rows) multiply_rows<lanes>(p, blockIdx.x, shared);
  else if constexpr (only_tiles<work>)
    multiply_tile<true, tile_shape<work>.threads, tile_shape<work>.entries_per_thread>(p, blockIdx.x, shared);
  else {
    const unsigned tiles_before = __umulhi(blockIdx.x, p.a.tile_ratio);
    if (__umulhi(blockIdx.x + 1, p.a.tile_ratio) > tiles_before)
      multiply_tile<false, tuning::row_threads, tuning::mixed_entries_per_thread>(p, tiles_before, shared);
    else multiply_rows<lanes>(p, blockIdx.x - tiles_before, shared);
  }
}

inline constexpr int finish_threads = 256;

/// Puts the parts of cut rows together, in the order of the tiles: thread i does the row that begins in tile first + i and goes on after it.
template <class Scalar, class Index> __device__ void join_cut_rows(const Product<Scalar, Index> &p, unsigned first)
{
  __shared__ int many, many_list[finish_threads];
  const auto    &a = p.a;
  // The tile in which a row ends that is cut at the end of `tile`, which is tile t.
  const auto last_tile = [&](unsigned t, const Tile<Index> &tile, Index to) {
    return t + static_cast<unsigned>((to - tile.end + a.tile_entries - 1) / a.tile_entries);
  };
  const unsigned t    = first + threadIdx.x;
  unsigned       last = t;
  Index          row  = 0;
  if (threadIdx.x == 0) many = 0;
  if (t < a.tiles) {
    const Tile<Index> tile = a.tile[t];
    row                    = tile.last_row - 1;
    const Index from = __ldg(a.row_ptr + row), to = __ldg(a.row_ptr + row + 1);
    if (from >= tile.begin && from < tile.end && to > tile.end) last = last_tile(t, tile, to);
  }
  __syncthreads();
  cudaGridDependencySynchronize();
  if (last - t > tuning::parts_per_thread) many_list[atomicAdd(&many, 1)] = threadIdx.x; // in any order: each has its own sum
  else if (last > t) {
    Scalar sum = 0;
    for (unsigned k = t; k < last; ++k) sum += a.cut[k].tail;
    p.update(row, sum + a.cut[last].head);
  }
  __syncthreads();
  for (int m = 0; m < many; ++m) {
    const unsigned    begin = first + many_list[m];
    const Tile<Index> tile  = a.tile[begin];
    const unsigned    end   = last_tile(begin, tile, __ldg(a.row_ptr + tile.last_row));
    Scalar            sum   = 0;
#pragma unroll 4
    for (unsigned k = begin + threadIdx.x; k < end; k += finish_threads) sum += a.cut[k].tail;
    sum = kernels::block_sum<finish_threads>(sum);
    if (threadIdx.x == 0) p.update(tile.last_row - 1, sum + a.cut[end].head);
    __syncthreads();
  }
}

/// Repairs rows of dirty tiles: most are empty, and nothing is assumed of the others.
template <class Scalar, class Index> __device__ void sum_dirty_rows(const Product<Scalar, Index> &p, const RowRange<Index> &rows)
{
  constexpr int warp = 32, short_row = 16;
  const auto   &a    = p.a;
  const Index   lane = threadIdx.x % warp;
  // All lanes of a warp go round together: a row that is not short is summed by all of them.
  for (Index top = rows.first + threadIdx.x / warp * warp; top < rows.last; top += finish_threads) {
    const Index row  = top + lane;
    Index       from = 0, to = 0;
    if (row < rows.last) {
      from = __ldg(a.row_ptr + row);
      to   = __ldg(a.row_ptr + row + 1);
      if (from == to) p.update.empty(row);
      else if (to - from <= short_row) p.update(row, kernels::strided_sum<1>(a.val, a.col, p.x, p.conjugate, from, to));
    }
    for (unsigned left = __ballot_sync(~0u, to - from > short_row); left; left &= left - 1) {
      const int    owner = __ffs(left) - 1;
      const Index  begin = __shfl_sync(~0u, from, owner), end = __shfl_sync(~0u, to, owner);
      const Scalar sum = kernels::sum_over_lanes(kernels::strided_sum<warp>(a.val, a.col, p.x, p.conjugate, begin + lane, end), warp);
      if (lane == owner) p.update(row, sum);
    }
  }
}

/// What multiply_kernel leaves where there are tiles. Dirty rows need not wait for it: it does not touch them.
template <class Scalar, class Index>
__global__ void __launch_bounds__(finish_threads) finish_kernel(const __grid_constant__ Product<Scalar, Index> p)
{
  if (blockIdx.x < p.a.dirty_ranges) sum_dirty_rows(p, p.a.dirty[blockIdx.x]);
  else join_cut_rows(p, (blockIdx.x - p.a.dirty_ranges) * finish_threads);
}

} // namespace petscspmv::aijspec
