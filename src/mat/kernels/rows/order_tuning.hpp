#pragma once

/// \file order_tuning.hpp
/// The numbers by which the ways through a matrix are chosen on the host, each with the measurement that chose it.

#include <cstdint>

namespace petscspmv::kernels::tuning {

// Columns and values from this size on come from memory.
inline constexpr std::int64_t cache_bytes = std::int64_t(16) << 20;
// Below this size a core's own caches help so much that asking for entries early is in vain. AMD Zen 4, warm caches,
// speed of rows_cached and rows over that of aij: 7-point of 2.2 MB 1.04, 0.94; 9-point of 2.4 MB 1.11, 0.93; 27-point
// of 0.8 MB 1.45, 1.37; rows and tiles: 7-point of 10 MB 1.28, 1.09; 9-point of 9.7 MB 1.26, 1.04.
inline constexpr std::int64_t small_bytes = std::int64_t(6) << 20;
// Uneven rows in caches. A processor learns where up to so many of them end, if it multiplies by the same matrix again
// and again; then, with mean lengths from .. up to, a plain loop over the row beats tiles. Speed of rows_cached and
// tiles over that of aij: 1.6 entries a row 0.70, 1.01; 2.7: 0.95, 1.04; 3.8: 0.96, 0.72; 5.9: 1.03, 0.79; 7: 0.99,
// 0.83; 9.6: 1.12, 0.93; 14.5: 0.94, 0.97. But with more rows, 33,000 of 6 and of 10 entries 0.9, 2.2 and 0.9, 1.9.
inline constexpr std::int64_t learned_rows = 20000, loop_mean = 3, tile_mean = 10;
// Mean length of rows from which on nodes win, in a core's own caches and outside of them (uneven rows only). Speed
// over that of aij, of nodes and the best other way: 4 entries a row 0.34, 0.98; 6.7: 0.65, 1.04; 28: 1.21, 1.05;
// 27-point with three unknowns a node, 4 MB 1.3, 1.17, and 10 MB 0.93, 2.2; uneven rows of 29 entries and 7 MB 1.18,
// 1.02, of 41 entries and 12 MB 0.87, 1.43.
inline constexpr std::int64_t node_mean = 12, node_mean_outside = 36;
// x up to this size stays in a core's own caches.
inline constexpr std::int64_t x_bytes = std::int64_t(256) << 10;
// Where x is looked at, and from how many new cache lines per hundred entries on it counts as scattered. Seen: stencils
// and bands 2 to 10, meshes in random-point order 10 to 35, circuit-like 41, shuffled stencils, R-MAT and random
// columns 87 to 99.
inline constexpr std::int64_t samples           = 64;
inline constexpr std::int64_t sample_entries    = 256;
inline constexpr std::int64_t scattered_percent = 38;
// Mean length of a row from which on gathers win where x is scattered. AMD Zen 4, time of tiles_x over that of gathers:
// random columns, 16 a row 1.4, 12 a row 1.3, 10 a row 1.0; shuffled 9-point 0.9.
inline constexpr std::int64_t gather_mean = 12;
// How many of a hundred rows must be as long as the one before. 7-point: rows 0.79 ns an entry, tiles_ahead 1.08; rows
// of 7 to 21 entries: 1.36 and 1.14.
inline constexpr std::int64_t even_percent = 75;
inline constexpr std::int64_t sample_rows  = 32;
// Mean length from which on the end of a row matters no more. Time of tiles_ahead over that of rows: uneven rows of 29
// entries 1.2, of 43 1.1 to 1.4, of 64 1.2; of 22 (cop20k_A) 1.2; of 15 0.8.
inline constexpr std::int64_t long_mean = 20;

} // namespace petscspmv::kernels::tuning
