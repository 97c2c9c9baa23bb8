#pragma once

/// \file bccoo_tuning.hpp
/// The numbers of the format on the host, each with the measurement that chose it.

#include <array>
#include <cstdint>

namespace petscspmv::bccoo::tuning {

// Tiles that share tables of values.
inline constexpr std::int64_t tiles_alike = 256;

// Block rows that are counted by a thread at a time.
inline constexpr std::int64_t count_batch = 4096;

// Size of a matrix (as CSR) from which on it comes from memory.
inline constexpr std::int64_t memory_bytes = std::int64_t(8) << 20;

// How far ahead values are asked for, for a whole block row at a time, where the matrix comes from memory. AMD Zen 4, ns an entry, without, one
// line at a time with the blocks, and so: 27-point with three unknowns a node, 28 MB 0.29, 0.26, 0.22; 212 MB 0.34, 0.43, 0.36; the same
// shuffled 0.45, 0.45, 0.43; in the second cache asking costs 8 %.
inline constexpr int values_ahead_bytes = 16384;

// How the shape of blocks is found: rows of a sample, their distance at least (a multiple of all sides of blocks), samples at most, and
// entries of all samples at most.
inline constexpr std::int64_t sample_rows = 120, sample_stride = 840, samples = 16, sample_entries = std::int64_t(1) << 17;

// A shape is not chosen if it takes so many times the memory of the shape that takes least.
inline constexpr double most_bytes = 1.2;

/// Predicted nanoseconds; only their ratios matter. They choose between shapes of blocks, columns, and codings of values.
struct Cost {
  double                block = 0.4, column = 0.15, row = 3.0; // a block, a vector of a block (one or two for a column), a block row
  double                delta = 0.3;                           // a column as a delta
  double                byte  = 0.035;                         // that is read from memory; a quarter of it in caches
  std::array<double, 6> decode{0.05, 0.1, 0.2, 0.3, 0.1, 0};   // a value, by coding
};

} // namespace petscspmv::bccoo::tuning
