#pragma once

/// \file sums.cuh
/// Sums over the threads of a block, in a fixed order, and over a warp of what its lanes have left open at their ends.

#include "kernels/device/scalar.cuh"

namespace petscspmv::ccoo::device {

using kernels::DeviceComplex;

/// The sum over all `threads` threads of a block, in thread 0. A barrier has to lie between two calls.
template <int threads, class Scalar> __device__ Scalar block_sum(Scalar sum)
{
  constexpr int warp = 32, warps = threads / warp, lanes = warps <= 4 ? 4 : warps <= 8 ? 8 : warp; // a power of two with room for all
  static_assert(threads % warp == 0 && warps <= warp);
  __shared__ __align__(sizeof(Scalar)) double part[warps * sizeof(Scalar) / sizeof(double)];
  Scalar *const                               parts = reinterpret_cast<Scalar *>(part);
  sum                                               = kernels::sum_over_lanes(sum, warp);
  if (threadIdx.x % warp == 0) parts[threadIdx.x / warp] = sum;
  __syncthreads();
  sum = threadIdx.x < warps ? parts[threadIdx.x] : Scalar(0);
  return threadIdx.x < warp ? kernels::sum_over_lanes(sum, lanes) : sum;
}

/// What lane - d has.
__device__ inline double from_below(double v, int d)
{
  return __shfl_up_sync(~0u, v, d);
}
__device__ inline DeviceComplex from_below(DeviceComplex v, int d)
{
  return {from_below(v.real(), d), from_below(v.imag(), d)};
}

/// What is open behind the last end of a segment, and whether there is an end. After scan(), the sum is that of the
/// lanes below and this one.
template <class S> struct OpenSum {
  S    sum;
  bool ended;

  /// Goes on only while some lane is so far above the last end below it: mostly one step, where segments are shorter
  /// than what a lane has. One vote tells how far all lanes are. To vote again before each step took 52.4 us instead of
  /// 47.0 for the chunks of an unstructured mesh of 15 M entries (H200, cold).
  __device__ void scan(int lane)
  {
    unsigned far = ~(__ballot_sync(~0u, ended) | 1); // lanes at least d above the last end, or above the first lane
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
      if (far == 0) return;
      const S below = from_below(sum, d);
      if (far >> lane & 1) sum = below + sum;
      far &= far << d;
    }
  }

  /// After scan(): the sum of the lanes below alone.
  __device__ S before(int lane) const
  {
    const S below = from_below(sum, 1);
    return lane > 0 ? below : S(0);
  }
};

} // namespace petscspmv::ccoo::device
