#pragma once

/// \file group.hpp
/// Eight rows side by side, one to a lane, and which of the lanes are meant.

#include <cstdint>

namespace petscspmv::kernels {

/// Rows of a group: lanes of a vector of doubles in AVX-512.
inline constexpr int group_rows = 8;

/// Bit l stands for lane l.
using LaneMask                      = std::uint8_t;
inline constexpr LaneMask all_lanes = 0xff;

[[gnu::always_inline]] constexpr LaneMask first_lanes(int n)
{
  return static_cast<LaneMask>((1U << n) - 1);
}

} // namespace petscspmv::kernels
