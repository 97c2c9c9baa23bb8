#pragma once

/// \file csr_samples_tuning.hpp
/// The numbers by which the ways through a matrix are chosen on the host, each with the measurement that chose it.

#include <cstdint>

namespace petscspmv::kernels::tuning {

// Columns and values from this size on come from memory.
inline constexpr std::int64_t cache_bytes = std::int64_t(16) << 20;
// Below this size a core's own caches help so much that asking for entries early is in vain. AMD Zen 4, warm caches, speed of a plain loop
// and of one that asks early over that of aij: 7-point of 2.2 MB 1.04, 0.94; 9-point of 2.4 MB 1.11, 0.93; 27-point of 0.8 MB 1.45, 1.37;
// of asking early and of segmented sums of tiles: 7-point of 10 MB 1.28, 1.09; 9-point of 9.7 MB 1.26, 1.04.
inline constexpr std::int64_t small_bytes = std::int64_t(6) << 20;
// Mean length of rows from which on nodes win, in a core's own caches and outside of them (uneven rows only). Speed over that of aij, of
// nodes and the best other way: 4 entries a row 0.34, 0.98; 6.7: 0.65, 1.04; 28: 1.21, 1.05; 27-point with three unknowns a node, 4 MB 1.3,
// 1.17, and 10 MB 0.93, 2.2; uneven rows of 29 entries and 7 MB 1.18, 1.02, of 41 entries and 12 MB 0.87, 1.43.
inline constexpr std::int64_t node_mean = 12, node_mean_outside = 36;
// x up to this size stays in a core's own caches.
inline constexpr std::int64_t x_bytes = std::int64_t(256) << 10;
// Where x is looked at, and from how many new cache lines per hundred entries on it counts as scattered. Seen: stencils and bands 2
// to 10, meshes in random-point order 10 to 35, circuit-like 41, shuffled stencils, R-MAT and random columns 87 to 99.
inline constexpr std::int64_t samples           = 64;
inline constexpr std::int64_t sample_entries    = 256;
inline constexpr std::int64_t scattered_percent = 38;
// How many of a hundred rows must be as long as the one before. 7-point: a loop over rows 0.79 ns an entry, segmented sums 1.08; rows of 7
// to 21 entries: 1.36 and 1.14.
inline constexpr std::int64_t even_percent = 75;
inline constexpr std::int64_t sample_rows  = 32;

} // namespace petscspmv::kernels::tuning
