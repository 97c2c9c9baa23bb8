#pragma once

/// \file pieces.cuh
/// Loads of 16 bytes at a time, the most that a lane can ask for.

#include <cstddef>

#include <cuda_runtime.h>

namespace petscspmv::kernels {

/// What all lanes want, 16 bytes at a time.
template <class T> __device__ T load_16(const T *p)
{
  static_assert(sizeof(T) % 16 == 0 && alignof(T) == 16);
  union {
    int4 raw[sizeof(T) / 16];
    T    value;
  } u;
#pragma unroll
  for (int k = 0; k < int(sizeof(T) / 16); ++k) u.raw[k] = __ldg(reinterpret_cast<const int4 *>(p) + k);
  return u.value;
}

/// Sixteen bytes of a lane, read once.
__device__ inline uint4 load_piece(const std::byte *p)
{
  uint4 v;
  asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
  return v;
}

} // namespace petscspmv::kernels
