#pragma once

/// \file layout.cuh
/// A matrix on a device as its kernels see it.

#include "impls/ccoo/device/image.hpp"
#include "kernels/device/memory/array.cuh"
#include "kernels/device/scalar.cuh"

namespace petscspmv::ccoo::device {

using kernels::DeviceComplex;

// Loads of 16 bytes at a time, the most that a lane can ask for.

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

struct OnDevice {
  template <class T> using Pieces = kernels::DeviceArray<T>;
  template <class T> using Vector = kernels::DeviceArray<T>;
  template <class T> using Room   = kernels::DeviceArray<T>;
};

/// The arrays of an image. S is the device's scalar.
template <class S> using Arrays = image::Kinds::Arrays<S, OnDevice>;

/// The parts of cut rows that a chunk has.
template <class S> struct Parts {
  S head, tail; ///< of the row that began before, of the one that goes on
};

/// The arrays of an image, and what a product writes besides y.
template <class S> struct Layout : image::Kinds::Shapes, image::Kinds::Arrays<S, image::InKernel> {
  Local     cols;
  S        *hot_x;   ///< [hot columns] x of these, side by side
  Parts<S> *part;    ///< [chunks]
  unsigned *arrived; ///< [cut rows] zero between products
};

/// What a kernel for y = alpha A x + beta y is given.
template <class S> struct Product {
  Layout<S>                   a;
  const S                    *x;
  kernels::DeviceRowUpdate<S> update;
};

} // namespace petscspmv::ccoo::device
