#pragma once

/// \file tuning.hpp
/// The numbers of sliding units, each with the measurement that chose it.

#include <cstddef>
#include <cstdint>

namespace petscspmv::ccoo::tuning {

// Planes of x that are in shared memory at a time; jobs, not more if their planes allow, which are four for each
// multiprocessor of an H200; planes of a job at least and at most; blocks of threads that a multiprocessor shall hold.
// H200, cold, microseconds of 27-point 127x129x125 with 512, 576, 768 and 1024 jobs 16.1, 17.4, 20.0, 19.9; 7-point
// 160^3 with 500, 600, 750 and 1000 20.9, 20.8, 21.1, 22.8; with 4, 6, 8, 11 and 16 planes 27-point 64^3 9.3, 9.2, 9.0,
// 9.7, 12.0, 7-point 64^3 6.9, 7.3, 7.1, 8.2, 10.1. 27-point with three unknowns, 64^3, whose weights are read for each
// plane, with 528, 792 and 1056 jobs 28.0, 28.7, 29.1; two weights together instead of four 35.3; as units that do not
// slide 54.1.
inline constexpr int          device_slide_stages = 4;
inline constexpr std::int64_t device_slide_jobs = 528, device_least_job_planes = 4, device_most_job_planes = 16;
inline constexpr unsigned     device_slides = 6;
// Units slide from so many rows of a matrix and of a plane on, where so many planes are alike and x of a plane takes so
// many entries besides those at the rows themselves: a quarter of the shared memory of a multiprocessor for each block.
// Fewer jobs than the last are none, for a job takes its time: seven beside 4,900 tiles of repeated rows, 11 us.
inline constexpr std::int32_t device_least_sliding_rows = 1 << 18, device_least_stride = 900, device_widest_slide = 1000;
inline constexpr std::int64_t device_least_slide_planes = 4;
inline constexpr std::size_t  device_least_slides       = 32;

} // namespace petscspmv::ccoo::tuning
