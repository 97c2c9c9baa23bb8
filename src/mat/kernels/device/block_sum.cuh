#pragma once

/// \file block_sum.cuh
/// The sum over the threads of a block, in a fixed order.

#include "kernels/device/scalar.cuh"

namespace petscspmv::kernels {

/// The sum over all `threads` threads of a block, in thread 0. A barrier has to lie between two calls.
template <int threads, class Scalar> __device__ Scalar block_sum(Scalar sum)
{
  constexpr int warp = 32, warps = threads / warp, lanes = warps <= 4 ? 4 : warps <= 8 ? 8 : warp; // a power of two with room for all
  static_assert(threads % warp == 0 && warps <= warp);
  __shared__ __align__(sizeof(Scalar)) double part[warps * sizeof(Scalar) / sizeof(double)];
  Scalar *const                               parts = reinterpret_cast<Scalar *>(part);
  sum                                               = sum_over_lanes(sum, warp);
  if (threadIdx.x % warp == 0) parts[threadIdx.x / warp] = sum;
  __syncthreads();
  sum = threadIdx.x < warps ? parts[threadIdx.x] : Scalar(0);
  return threadIdx.x < warp ? sum_over_lanes(sum, lanes) : sum;
}

} // namespace petscspmv::kernels
