#pragma once

/// \file segments.cuh
/// Segmented sums over a warp, of what its lanes have left open at their ends.

#include "kernels/device/scalar.cuh"

namespace petscspmv::kernels {

/// What lane - d has.
__device__ inline double from_below(double v, int d)
{
  return __shfl_up_sync(~0u, v, d);
}
__device__ inline unsigned from_below(unsigned v, int d)
{
  return __shfl_up_sync(~0u, v, d);
}
__device__ inline DeviceComplex from_below(DeviceComplex v, int d)
{
  return {from_below(v.real(), d), from_below(v.imag(), d)};
}

/// n sums side by side, such as those of the rows of a block: what is open behind the last end of a segment, and
/// whether there is an end. After scan(), the sums are those of the lanes below and this one.
template <class S, int n = 1> struct OpenSums {
  S    sum[n];
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
      const OpenSums below = shifted(d);
      if (far >> lane & 1) {
#pragma unroll
        for (int i = 0; i < n; ++i) sum[i] = below.sum[i] + sum[i];
      }
      far &= far << d;
    }
  }

  /// After scan(): the sums of the lanes below alone.
  __device__ OpenSums before(int lane) const
  {
    OpenSums below = shifted(1);
    if (lane > 0) return below;
#pragma unroll
    for (int i = 0; i < n; ++i) below.sum[i] = S(0);
    return below;
  }

private:
  __device__ OpenSums shifted(int d) const
  {
    OpenSums below{};
#pragma unroll
    for (int i = 0; i < n; ++i) below.sum[i] = from_below(sum[i], d);
    return below;
  }
};

} // namespace petscspmv::kernels
