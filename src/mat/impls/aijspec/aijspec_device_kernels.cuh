#pragma once

/// \file aijspec_device_kernels.cuh
/// y = alpha op(A) x + beta y on a device, in one kernel.

#include "impls/aijspec/aijspec_device_rows.cuh"
#include "impls/aijspec/aijspec_device_tiles.cuh"
#include "kernels/device/block_sum.cuh"

namespace petscspmv::aijspec {

/// What blocks of threads do.
enum class Work { rows, tiles };

/// How many threads a block has, and how many such blocks the compiler has to leave room for.
template <Work work, class Scalar> struct BlockShape {
  static constexpr int half      = sizeof(Scalar) == sizeof(double) ? 1 : 2;
  static constexpr int threads   = work == Work::tiles ? tuning::tile_threads : tuning::row_threads;
  static constexpr int at_a_time = work == Work::tiles ? tuning::tiles_at_a_time / half : tuning::row_blocks_at_a_time<Scalar>;
};

/// Repairs rows of dirty tiles: most are empty, and nothing is assumed of the others.
template <int threads, class Scalar, class Index, class Values>
__device__ void sum_dirty_rows(const Product<Scalar, Index, Values> &p, const RowRange<Index> &rows)
{
  constexpr int warp = 32, short_row = 16;
  const auto   &a    = p.a;
  const Index   lane = threadIdx.x % warp;
  // All lanes of a warp go round together: a row that is not short is summed by all of them.
  for (Index top = rows.first + threadIdx.x / warp * warp; top < rows.last; top += threads) {
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

/// Where there are tiles, blocks of threads 0 .. dirty_ranges - 1 repair rows of dirty tiles, and the others multiply.
template <Work work, int lanes, class Scalar, class Index, class Values>
__global__ void __launch_bounds__(BlockShape<work, Scalar>::threads, BlockShape<work, Scalar>::at_a_time)
  multiply_kernel(const __grid_constant__ Product<Scalar, Index, Values> p)
{
  extern __shared__ __align__(128) unsigned char shared[];
  if constexpr (work == Work::rows) multiply_rows<lanes>(p, blockIdx.x, shared);
  else if (blockIdx.x < p.a.dirty_ranges) sum_dirty_rows<tuning::tile_threads>(p, p.a.dirty[blockIdx.x]);
  else
    multiply_tiles<tuning::tile_threads, tuning::entries_per_thread>(p, blockIdx.x - p.a.dirty_ranges, gridDim.x - p.a.dirty_ranges,
                                                                     shared);
}

} // namespace petscspmv::aijspec
