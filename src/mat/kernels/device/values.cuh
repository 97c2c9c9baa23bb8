#pragma once

/// \file values.cuh
/// Values coded on the device, bit for bit.

#include <cstddef>

#include "kernels/coding/float_bits.hpp"
#include "kernels/device/scalar.cuh"

namespace petscspmv::kernels {

__device__ inline bool same_bits(DeviceComplex a, DeviceComplex b)
{
  return same_bits(a.real(), b.real()) && same_bits(a.imag(), b.imag());
}

/// Writes v in place i of `out` as floats; false if it is none.
__device__ inline bool write_single(std::byte *out, std::size_t i, double v)
{
  const auto f                      = static_cast<float>(v);
  reinterpret_cast<float *>(out)[i] = f;
  return same_bits(static_cast<double>(f), v);
}
__device__ inline bool write_single(std::byte *out, std::size_t i, DeviceComplex v)
{
  const bool real = write_single(out, 2 * i, v.real());
  return write_single(out, 2 * i + 1, v.imag()) && real;
}

} // namespace petscspmv::kernels
