#pragma once

/// \file order_tuning.hpp
/// The numbers by which the ways through a matrix are chosen on the host, each with the measurement that chose it.

#include <cstdint>

namespace petscspmv::kernels::tuning {

// Uneven rows in caches: a processor learns where up to so many of them end; then, with mean lengths between these, a
// plain loop over the row beats tiles. 3.8 entries a row: 0.96 of the speed of aij, by tiles 0.72.
inline constexpr std::int64_t learned_rows = 20000, loop_mean = 3, tile_mean = 10;
// Mean length of rows from which on nodes win, in a core's own caches and outside of them (uneven rows only). 28
// entries a row: 1.21 of the speed of aij, the best other way 1.05.
inline constexpr std::int64_t node_mean = 12, node_mean_outside = 36;
// Where x is looked at.
inline constexpr std::int64_t samples        = 64;
inline constexpr std::int64_t sample_entries = 256;
// Mean length of a row from which on gathers win where x is scattered. 16 a row, AMD Zen 4: 1.4 times as fast.
inline constexpr std::int64_t gather_mean = 12;
// How many of a hundred rows must be as long as the one before. 7-point: rows 0.79 ns an entry, tiles_ahead 1.08.
inline constexpr std::int64_t even_percent = 75;
inline constexpr std::int64_t sample_rows  = 32;
// Mean length from which on the end of a row matters no more. Uneven rows of 29 entries: tiles_ahead take 1.2 times as
// long as rows, of 15 0.8 times.
inline constexpr std::int64_t long_mean = 20;

} // namespace petscspmv::kernels::tuning
