#pragma once

/// \file cost_tuning.hpp
/// What products on a device are predicted to take, as far as all methods have it in common.

#include <array>

#include "kernels/coding/values.hpp"

namespace petscspmv::kernels::tuning {

// Nanoseconds of the whole of an H200 for a byte: it reads 4.24 TB/s.
inline constexpr double device_byte = 0.000236;
// To decode a value, by coding. Those that are looked up in a table of 256 take longer than those that are read: an
// unstructured mesh of 15 M entries, all 200 different values, 60 us against 56; with the table in shared memory 52
// against 49.
inline constexpr std::array<double, codings> device_decode{0, 0.0001, 0.002, 0.002, 0, 0};

} // namespace petscspmv::kernels::tuning
