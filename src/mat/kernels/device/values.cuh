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

/// Writes v in place i of `out` as `Number`; false if it is none.
template <class Number> __device__ bool write_numbers(std::byte *out, std::size_t i, double v)
{
  const auto number                  = static_cast<Number>(v);
  reinterpret_cast<Number *>(out)[i] = number;
  return same_bits(static_cast<double>(number), v);
}
template <class Number> __device__ bool write_numbers(std::byte *out, std::size_t i, DeviceComplex v)
{
  const bool real = write_numbers<Number>(out, 2 * i, v.real());
  return write_numbers<Number>(out, 2 * i + 1, v.imag()) && real;
}

} // namespace petscspmv::kernels
