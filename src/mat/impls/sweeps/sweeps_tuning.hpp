#pragma once

/// \file sweeps_tuning.hpp
/// Numbers only, each with the measurement that chose it.

#include <cstddef>
#include <cstdint>

namespace petscspmv::sweeps::tuning {

/// Rows of a slice. A team of a device has as many threads.
inline constexpr int slice_rows = 32;

/// Rows of a coloured block, at most. More take fewer iterations and more levels.
inline constexpr int block_rows = 128;

/// Smaller matrices are cut into as many blocks, of some rows at least, for a device runs the blocks of a colour at
/// the same time. BiCGSTAB with ILU on a mesh of 30,000 vertices, an H200: 2.04 ms an iteration with 128 rows a block,
/// 0.75 ms with 32.
inline constexpr int fewest_blocks = 1000, least_block_rows = 32;

/// Memory of a team that solves a block, which every backend of Kokkos has; blocks have fewer rows where that takes
/// more.
inline constexpr std::size_t team_bytes = 40 << 10;

/// Threads of a team that solves a block, each of which has a lane for each row of a slice. Of blocks in little memory
/// a multiprocessor runs more at a time: 7-point 128^3 takes 0.80 ms an iteration with 2 threads and 1.15 ms with 4.
constexpr int block_threads(std::size_t bytes)
{
  return bytes <= 16 << 10 ? 2 : 4;
}

/// A longer row is a slice of its own, and all threads of a team sum it.
inline constexpr int long_row = 63;

/// Entries of a row that a thread waits for together, and the teams of a device: one for so many of the threads that it
/// can run. Teams load later slices while others wait, and looks of those that wait are in the way of values.
struct Launch {
  std::int64_t width; ///< the longest row of these, but for long ones
  int          ahead, threads_per_team;
};
/// Both triangles on an H100: 7-point 128^3 631 us by the first row, 806 us with 512 threads a team; 27-point 96^3 1.04
/// ms by the last, 1.85 ms with 8 entries ahead; a mesh of 300,000 vertices 2.7 ms by the second, 3.9 ms with 128
/// threads a team.
inline constexpr Launch launches[] = {{4, 4, 128}, {8, 8, 512}, {long_row, 16, 512}};

/// Lanes of a thread that eliminates entries of a row, and the teams of a device, as above. Rows of blocks wait less,
/// and more of them go at a time: a step with new values on an H200, 7-point 128^3 17.7 ms with 4 lanes, 23 ms with 32.
/// In the rows' own order each link of the longest chain counts: 27-point 96^3 61 ms with 4 lanes, 49 ms with 32.
constexpr int factor_lanes(bool blocks)
{
  return blocks ? 4 : slice_rows;
}
inline constexpr int factor_threads_per_team = 64;

/// Entries of a row that one thread of a device looks at. The host does so where rows are longer.
inline constexpr int most_thread_entries = 1 << 12;

// Seconds of a symmetric sweep from a zero guess. PETSc on one core beside an H100 takes 40.7 ms for 7-point 128^3 and
// 53.2 ms for 27-point 96^3, with copies of the vectors and 0.3 ms of conjugate gradients.
inline constexpr double host_entry = 2.1e-9, host_row = 5e-9, host_call = 40e-6;
// An H100. A level takes 0.40 us in a chain of rows, 0.57 us with 400 rows, 0.8 us with 5000 and in 27-point 96^3.
inline constexpr double device_level = 0.7e-6, device_call = 15e-6;

} // namespace petscspmv::sweeps::tuning
