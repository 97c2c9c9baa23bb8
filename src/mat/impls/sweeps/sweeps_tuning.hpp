#pragma once

/// \file sweeps_tuning.hpp
/// Numbers only, each with the measurement that chose it.

namespace petscspmv::sweeps::tuning {

/// Rows of a slice, which threads of a team of a device have one each.
inline constexpr int slice_rows = 32;

/// A longer row is a slice, and is summed by all threads of a team.
inline constexpr int long_row = 63;

/// Threads of a multiprocessor for which there is one team: so many teams are there for the levels to come.
inline constexpr int threads_per_team = 64;

// A symmetric sweep from a zero guess. By PETSc on one core beside an H100, with vectors copied: 7-point 128^3 40.7 ms,
// 27-point 96^3 53.2 ms, of which conjugate gradients take 0.3.
inline constexpr double host_entry = 2.1e-9, host_row = 5e-9, host_call = 40e-6;
// By an H100.
inline constexpr double device_level = 0.5e-6, device_byte = 1 / 2.5e12, device_call = 15e-6;

} // namespace petscspmv::sweeps::tuning
