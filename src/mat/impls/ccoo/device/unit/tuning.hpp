#pragma once

/// \file tuning.hpp
/// The numbers of units, each with the measurement that chose it.

#include <cstdint>

namespace petscspmv::ccoo::tuning {

// Warps of a block of threads without chunks, and how many a multiprocessor shall hold, for registers are kept so few;
// the last where all slots have one value each; and slots that go together, again the last where all have one value
// each. H200, cold, microseconds for 7-point 160^3 with random values: 8 warps and 32 at a time 85.6, 4 and 28 82.4, 2
// and 24 81.8. 7-point 160^3, 27-point 128^3 and 5-point 2000^2, constant, with two slots together: 8 warps and 40 at a
// time 28.4, 34.4, 27.2, 4 and 40 28.6, 34.5, 26.8, 16 and 48 29.2, 39.0, 26.3, 2 and 64, which spills, 38.0, 40.2,
// 28.7; with five 4 and 32 29.5, 34.7, 25.9; with four 16 and 32 30.9, 35.9, 28.3. Blocks that stay, 32 warps on each
// multiprocessor, which read x of neighbouring rows from its cache: 30.8, 36.6, 23.9.
inline constexpr unsigned device_unit_warps = 4, device_unit_warps_at_a_time = 24, device_by_slot_warps_at_a_time = 32;
inline constexpr int      device_unit_together = 2, device_by_slot_together = 5;

} // namespace petscspmv::ccoo::tuning
