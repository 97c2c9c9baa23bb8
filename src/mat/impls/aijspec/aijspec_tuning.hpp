#pragma once

/// \file aijspec_tuning.hpp
/// The numbers of the method, each with the measurement that chose it.

#include <cstdint>

namespace petscspmv::aijspec::tuning {

inline constexpr std::int64_t bunch      = 8;   // T
inline constexpr std::int64_t height     = 128; // W
inline constexpr std::int64_t steps      = 4;   // S
inline constexpr std::int64_t group      = 4;   // B
inline constexpr std::int64_t skip_empty = 50;

// Columns and values from this size on come from memory.
inline constexpr std::int64_t cache_bytes = std::int64_t(16) << 20;
// Below this size a core's own caches help so much that rows one after the other win only where they are even and have even_mean entries;
// from there on also in longer rows of nodes, node_mean entries in the mean. AMD Zen 4, warm caches. Time of tiles over that of rows: 5-point
// of 2.4, 5.4, 9.6, 15 MB 0.8, 0.85, 1.05, 1.35; 7-point of 2.2, 5.2, 10 MB 0.9, 0.92, 1.2; 9-point of 2.4 MB 1.1; 27-point of 0.8 MB 1.15
// (cold caches: 1.2 to 1.5 for all of them). Time of nodes over that of rows: 27-point with three unknowns a node of 4 MB 0.8, of 10 MB 1.9;
// uneven rows of 29 entries 0.9, of 41 entries and 12 MB 1.6.
inline constexpr std::int64_t small_bytes = std::int64_t(6) << 20;
inline constexpr std::int64_t even_mean   = 8;
inline constexpr std::int64_t node_mean   = 36;
// x up to this size stays in a core's own caches.
inline constexpr std::int64_t x_bytes = std::int64_t(256) << 10;
// Where x is looked at, and from how many new cache lines per hundred entries on it counts as scattered. Seen: stencils and bands 2
// to 10, meshes in random-point order 10 to 35, circuit-like 41, shuffled stencils, R-MAT and random columns 87 to 99.
inline constexpr std::int64_t samples           = 64;
inline constexpr std::int64_t sample_entries    = 256;
inline constexpr std::int64_t scattered_percent = 38;
// Mean length of a row from which on gathers win where x is scattered. AMD Zen 4, time of tiles_x over that of gathers: random columns, 16
// a row 1.4, 12 a row 1.3, 10 a row 1.0; shuffled 9-point 0.9.
inline constexpr std::int64_t gather_mean = 12;
// How many of a hundred rows must be as long as the one before. 7-point: rows 0.79 ns an entry, tiles_ahead 1.08; rows of 7 to 21
// entries: 1.36 and 1.14.
inline constexpr std::int64_t even_percent = 75;
inline constexpr std::int64_t sample_rows  = 32;
// Mean length from which on the end of a row matters no more. Time of tiles_ahead over that of rows: uneven rows of 29 entries 1.2, of 43
// 1.1 to 1.4, of 64 1.2; of 15 0.8.
inline constexpr std::int64_t long_mean = 24;

} // namespace petscspmv::aijspec::tuning
