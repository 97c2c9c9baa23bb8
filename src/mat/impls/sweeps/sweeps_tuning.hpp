#pragma once

/// \file sweeps_tuning.hpp
/// Numbers only, each with the measurement that chose it.

namespace petscspmv::sweeps::tuning {

/// Rows of a slice. A team of a device has as many threads.
inline constexpr int slice_rows = 32;

/// A longer row is a slice of its own, and all threads of a team sum it.
inline constexpr int long_row = 63;

/// A device runs one team for so many of the threads that it can run: teams load later slices while others wait.
inline constexpr int threads_per_team = 64;

// Seconds of a symmetric sweep from a zero guess. PETSc on one core beside an H100 takes 40.7 ms for 7-point 128^3 and
// 53.2 ms for 27-point 96^3, with copies of the vectors and 0.3 ms of conjugate gradients.
inline constexpr double host_entry = 2.1e-9, host_row = 5e-9, host_call = 40e-6;
// An H100, predicted from a study of waiting rows: a level 0.5 us where it is small.
inline constexpr double device_level = 0.5e-6, device_byte = 1 / 2.5e12, device_call = 15e-6;

} // namespace petscspmv::sweeps::tuning
