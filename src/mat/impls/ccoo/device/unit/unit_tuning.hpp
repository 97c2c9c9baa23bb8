#pragma once

/// \file unit_tuning.hpp
/// The numbers of units, each with the measurement that chose it.

#include <cstddef>

namespace petscspmv::ccoo::tuning {

// Warps of a thread block without chunks, and how many a multiprocessor shall hold, in general and where all slots have
// one value each. 7-point 160^3 with random values, H200: 82 us, with 8 warps and 32 at a time 86.
inline constexpr unsigned device_unit_warps = 4, device_unit_warps_at_a_time = 24, device_by_slot_warps_at_a_time = 32;
// Slots loaded together, again in general and where all have one value each. 5-point 2000^2: 25.9 us, with two 26.8.
inline constexpr int device_unit_together = 2, device_by_slot_together = 5;
// Entries of a unit for each value that it keeps, at least, for its rows to share values.
inline constexpr std::size_t device_least_sharing = 3;

} // namespace petscspmv::ccoo::tuning
