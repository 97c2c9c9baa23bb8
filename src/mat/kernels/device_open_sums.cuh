#pragma once

/// \file device_open_sums.cuh
/// Segmented sums over a warp, of what its lanes have left open at their ends.

#include "kernels/device_scalar.cuh"

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

/// n sums side by side, such as those of the rows of a block: what is open behind the last end of a segment, and whether there is an end. After
/// scan(), that of the lanes below and this one.
template <class S, int n = 1> struct OpenSums {
  S    sum[n];
  bool ended;

  /// Goes on only while some lane has neither an end nor the first lane below it: mostly one step, where segments are shorter than what a
  /// lane has.
  __device__ void scan(int lane)
  {
    bool done = ended || lane == 0;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
      if (__all_sync(~0u, done)) return;
      const OpenSums below = shifted(d);
      if (lane >= d) {
        if (!ended) {
#pragma unroll
          for (int i = 0; i < n; ++i) sum[i] = below.sum[i] + sum[i];
        }
        ended = ended || below.ended;
      }
      done = ended || lane < 2 * d;
    }
  }

  /// After scan(): that of the lanes below alone.
  __device__ OpenSums before(int lane) const
  {
    OpenSums below = shifted(1);
    if (lane > 0) return below;
#pragma unroll
    for (int i = 0; i < n; ++i) below.sum[i] = S(0);
    below.ended = false;
    return below;
  }

private:
  __device__ OpenSums shifted(int d) const
  {
    OpenSums below;
#pragma unroll
    for (int i = 0; i < n; ++i) below.sum[i] = from_below(sum[i], d);
    below.ended = __shfl_up_sync(~0u, static_cast<int>(ended), d) != 0;
    return below;
  }
};

} // namespace petscspmv::kernels
