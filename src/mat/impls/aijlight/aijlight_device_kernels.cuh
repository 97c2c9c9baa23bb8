#pragma once

/// \file aijlight_device_kernels.cuh
/// y = alpha op(A) x + beta y on a device, by one kernel.

#include "impls/aijlight/aijlight_device.hpp"
#include "impls/aijlight/aijlight_device_pieces.cuh"

namespace petscspmv::aijlight {

/// How many threads a block has, and how many such blocks the compiler has to leave room for.
template <Level level, class Scalar> struct BlockShape {
  static constexpr int threads   = level == Level::block ? tuning::row_threads : tuning::warp_threads;
  static constexpr int at_a_time = level == Level::block ? tuning::row_blocks_at_a_time<Scalar> : tuning::warp_blocks_at_a_time<Scalar>;
};

/// The last block of threads to leave finds that nobody will draw any more, and leaves the queue as it was before.
__device__ inline void leave(Queue &queue)
{
  __syncthreads();
  if (threadIdx.x > 0) return;
  __threadfence();
  if (atomicAdd(&queue.departed, 1u) + 1 < gridDim.x) return;
  queue = {};
}

/// To be launched with as many blocks of threads as the device can hold at a time, or fewer: each goes on until there are no more tickets.
template <Level level, int lanes, class Scalar, class Index>
__global__ void __launch_bounds__(BlockShape<level, Scalar>::threads, BlockShape<level, Scalar>::at_a_time)
  multiply_kernel(const __grid_constant__ Product<Scalar, Index> p)
{
  extern __shared__ __align__(128) unsigned char shared[];
  constexpr int                                  threads = BlockShape<level, Scalar>::threads, warp = 32;
  sum_pieces<threads>(p);
  if constexpr (level == Level::block) multiply_by_blocks<threads, lanes>(p, shared);
  else multiply_by_teams<threads, level == Level::warp ? warp : lanes, lanes>(p);
  leave(*p.a.queue);
}

} // namespace petscspmv::aijlight
