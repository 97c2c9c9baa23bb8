#pragma once

/// \file aijlight_device_kernels.cuh
/// y = alpha op(A) x + beta y on a device, by one kernel.

#include "impls/aijlight/aijlight_device_pieces.cuh"

namespace petscspmv::aijlight {

/// Who takes tickets; of blocks of threads, whether all blocks of rows fit into shared memory and no row keeps others
/// waiting.
enum class Taker { vector, warp, block, tame_block };

/// How many threads a block has, and how many such blocks the compiler has to leave room for.
template <Taker taker, class Scalar, class Index> struct BlockShape {
  static constexpr bool        by_blocks   = taker == Taker::block || taker == Taker::tame_block;
  static constexpr int         threads     = by_blocks ? tuning::row_threads : tuning::warp_threads;
  static constexpr std::size_t entry_bytes = sizeof(Scalar) + sizeof(Index);
  static constexpr int         at_a_time   = taker == Taker::tame_block ? tuning::row_blocks_at_a_time<Scalar>
                                             : by_blocks                ? tuning::unfit_blocks_at_a_time(entry_bytes)
                                                                        : tuning::warp_blocks_at_a_time(entry_bytes);
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

/// To be launched with as many blocks of threads as the device can hold at a time, or fewer: each goes on until there
/// are no more tickets.
template <Taker taker, int lanes, class Scalar, class Index>
__global__ void __launch_bounds__(BlockShape<taker, Scalar, Index>::threads, BlockShape<taker, Scalar, Index>::at_a_time)
  multiply_kernel(const __grid_constant__ Product<Scalar, Index> p)
{
  extern __shared__ __align__(128) unsigned char shared[];
  using Shape           = BlockShape<taker, Scalar, Index>;
  constexpr int threads = Shape::threads;
  sum_pieces<threads>(p);
  if constexpr (Shape::by_blocks) multiply_by_blocks<threads, lanes, taker == Taker::tame_block>(p, shared);
  else multiply_by_teams<threads, taker == Taker::warp ? warp : lanes, lanes>(p);
  leave(*p.a.queue);
}

} // namespace petscspmv::aijlight
