#pragma once

/// \file slide_tuning.hpp
/// The numbers of sliding units, each with the measurement that chose it.

#include <cstddef>
#include <cstdint>

namespace petscspmv::ccoo::tuning {

// Planes of x in shared memory at a time, and thread blocks that a multiprocessor shall hold.
inline constexpr int      device_slide_stages = 4;
inline constexpr unsigned device_slides       = 6;
// Jobs: four for each multiprocessor of an H200, with 4 to 16 planes. 27-point 127x129x125: 16 us, with 1024 jobs 20.
inline constexpr std::int64_t device_slide_jobs = 528, device_least_job_planes = 4, device_most_job_planes = 16;
// Units slide in matrices and planes of so many rows and more, where so many planes are alike and x of a plane takes at
// most so many entries more than it has rows: a quarter of a multiprocessor's shared memory for each block.
inline constexpr std::int32_t device_least_sliding_rows = 1 << 18, device_least_stride = 900, device_widest_slide = 1000;
inline constexpr std::int64_t device_least_slide_planes = 4;
// Fewer jobs than this are none: seven in a launch of their own took 11 us.
inline constexpr std::size_t device_least_slides = 32;

} // namespace petscspmv::ccoo::tuning
