#pragma once

/// \file row_block_tuning.hpp
/// The numbers of blocks of rows on a device.

namespace petscspmv::kernels::tuning {

/// Threads of a block with a block of rows. 256: 1 % to 3 % slower on stencils.
inline constexpr int row_threads = 128;

/// How many such blocks of threads a multiprocessor shall be able to hold; registers are kept so few that they fit. 1
/// leaves them to the compiler.
template <class Scalar> inline constexpr int row_blocks_at_a_time = sizeof(Scalar) == sizeof(double) ? 12 : 1;

/// Lanes that share a row of a block of rows, by the mean length of rows.
constexpr int row_lanes(double mean_length)
{
  return mean_length <= 10 ? 1 : mean_length <= 40 ? 2 : mean_length <= 64 ? 4 : 8;
}

/// Rows that are longer than this many entries a lane do not suit a block of rows.
inline constexpr int max_entries_per_lane = 32;

/// Bytes of shared memory for the entries of a block of rows. (48 KiB need no permission.)
inline constexpr int max_block_bytes = 40 * 1024;

} // namespace petscspmv::kernels::tuning
