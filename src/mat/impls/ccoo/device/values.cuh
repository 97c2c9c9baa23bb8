#pragma once

/// \file values.cuh
/// Values coded on the device, bit for bit.

#include <cstddef>
#include <cstdint>

#include "kernels/coding/codings.hpp"
#include "kernels/device/scalar.cuh"

namespace petscspmv::ccoo::device {

using kernels::DeviceComplex;
using kernels::same_bits;

__device__ inline bool same_bits(DeviceComplex a, DeviceComplex b)
{
  return same_bits(a.real(), b.real()) && same_bits(a.imag(), b.imag());
}

/// Writes v as it is, or as the nearest float; false if that is out of range.
template <class S> __device__ bool keep(S &to, S v)
{
  to = v;
  return true;
}
__device__ inline bool keep(float &to, double v)
{
  to = static_cast<float>(v);
  return kernels::rounds_to_single(v);
}

/// Writes v in place i of `out` in a coding without a table; false if it does not keep it.
template <class Form> __device__ bool write_numbers(std::byte *out, std::size_t i, double v)
{
  using Number                       = typename Form::Number;
  reinterpret_cast<Number *>(out)[i] = static_cast<Number>(v);
  return Form::keeps(v);
}
template <class Form> __device__ bool write_numbers(std::byte *out, std::size_t i, DeviceComplex v)
{
  const bool real = write_numbers<Form>(out, 2 * i, v.real());
  return write_numbers<Form>(out, 2 * i + 1, v.imag()) && real;
}

} // namespace petscspmv::ccoo::device
