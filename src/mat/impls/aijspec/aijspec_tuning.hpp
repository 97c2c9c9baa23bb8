#pragma once

/// \file aijspec_tuning.hpp
/// The numbers of the method, each with the measurement that chose it. Those that choose the way through a
/// matrix are in kernels/rows/order_tuning.hpp.

#include <cstdint>

namespace petscspmv::aijspec::tuning {

inline constexpr std::int64_t bunch      = 8;   // T
inline constexpr std::int64_t height     = 128; // W
inline constexpr std::int64_t steps      = 4;   // S
inline constexpr std::int64_t group      = 4;   // B
inline constexpr std::int64_t skip_empty = 50;

} // namespace petscspmv::aijspec::tuning
