#pragma once

/// \file aijspec_tuning.hpp
/// The numbers of the method, each with the measurement that chose it. Those that do not concern its tiles are in
/// kernels/csr_samples_tuning.hpp.

#include <cstdint>

namespace petscspmv::aijspec::tuning {

inline constexpr std::int64_t bunch      = 8;   // T
inline constexpr std::int64_t height     = 128; // W
inline constexpr std::int64_t steps      = 4;   // S
inline constexpr std::int64_t group      = 4;   // B
inline constexpr std::int64_t skip_empty = 50;

// Uneven rows in caches. A processor learns where up to so many of them end, if it multiplies by the same matrix again and again; then, with
// mean lengths from .. up to, a plain loop over the row beats tiles. Speed of rows_cached and tiles over that of aij: 1.6 entries a row 0.70,
// 1.01; 2.7: 0.95, 1.04; 3.8: 0.96, 0.72; 5.9: 1.03, 0.79; 7: 0.99, 0.83; 9.6: 1.12, 0.93; 14.5: 0.94, 0.97. But with more rows, 33,000 of 6
// and of 10 entries 0.9, 2.2 and 0.9, 1.9.
inline constexpr std::int64_t learned_rows = 20000, loop_mean = 3, tile_mean = 10;
// Mean length of a row from which on gathers win where x is scattered. AMD Zen 4, time of tiles_x over that of gathers: random columns, 16
// a row 1.4, 12 a row 1.3, 10 a row 1.0; shuffled 9-point 0.9.
inline constexpr std::int64_t gather_mean = 12;
// Mean length from which on the end of a row matters no more. Time of tiles_ahead over that of rows: uneven rows of 29 entries 1.2, of 43
// 1.1 to 1.4, of 64 1.2; of 15 0.8.
inline constexpr std::int64_t long_mean = 24;

} // namespace petscspmv::aijspec::tuning
