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
// x up to this size stays in a core's own caches.
inline constexpr std::int64_t x_bytes = std::int64_t(1) << 20;
// Where x is looked at, and from how many new cache lines per hundred entries on it counts as scattered. Seen: stencils and bands 2
// to 10, meshes in random-point order 10 to 35, circuit-like 41, shuffled stencils, R-MAT and random columns 87 to 99.
inline constexpr int samples           = 64;
inline constexpr int sample_entries    = 256;
inline constexpr int scattered_percent = 38;

} // namespace petscspmv::aijspec::tuning
