#pragma once

/// \file bccoo_tuning.hpp
/// The numbers of the format on the host.

#include <cstddef>
#include <cstdint>

#include "kernels/coding/values.hpp"
#include "kernels/host/cache.hpp"

namespace petscspmv::bccoo::tuning {

// Tiles that share tables of values.
inline constexpr std::int64_t tiles_alike = 256;

// Block rows that a thread counts at a time.
inline constexpr std::int64_t count_batch = 4096;

// Sizes of a matrix (as CSR, over that of the largest cache) between which the kernels prefetch values and x; beyond
// them, only for blocks of fewer bytes than these. A prefetch disturbs the processor's own where blocks are lines.
inline constexpr std::size_t foreseen_bytes = 64;
inline constexpr double      least_afar = 1, most_afar = 1.6;

// Values of a tile that comes from memory, unless the option says otherwise: once decoded, the first cache holds them.
inline constexpr std::int64_t tile_from_afar = 2048;

// Tiles at which several vectors take turns: 256 KB of values.
inline constexpr std::size_t batch_tiles = 8;

// Samples by which the shape is chosen: their rows, the least distance of two (a multiple of all sides of blocks), the
// share of all entries that they hold, and limits. Of long rows a sample holds some columns only.
inline constexpr std::int64_t sample_rows = 24, sample_stride = 840, sampled_share = 24, least_samples = 3,
                              least_sampled = std::int64_t(1) << 13, most_sampled = std::int64_t(1) << 17;

// Bytes of x in a slice, slices at most, and the least number of blocks of a block row in a slice that pays for its
// sums. The rows must reach over half of the columns in the mean of so many of them.
inline constexpr std::int64_t most_slices = 32, span_samples = 64, slice_bytes = kernels::second_cache_bytes, slice_blocks = 32;

// A shape is not chosen that takes so many times the memory of the smallest shape and more than CSR; in the second or
// the last cache, more than so many times CSR, since zeros from there cost less than blocks that are too small.
inline constexpr double most_bytes = 1.2, most_in_second_cache = 2, most_in_last_cache = 1.5;

// Lines of a core's first cache: of a row that touches more of x, the next one finds none there.
inline constexpr double first_cache_lines = double(kernels::first_cache_bytes) / 64;

/// Predicted nanoseconds of a product, by which shapes and codings are chosen; only their ratios matter.
struct Cost {
  double               block = 0.12, vector = 0.08, x = 0.033;    // a block, a vector of it (twice that if it is longer than 4), an x
  double               crossing = 0.05;                           // a vector of values that lies in two cache lines
  double               row = 2.0, sum = 0.1;                      // a block row, each further sum of one
  double               miss   = 1.3;                              // a line of x that is not in the first cache
  double               byte   = 0.035;                            // that is read from memory; a quarter of it in caches
  double               stream = 0.035, near_stream = 0.011;       // the same of blocks, which are prefetched; in a near cache
  double               column = 2;                                // bytes of a block column
  kernels::CodingCosts decode{0.05, 0.21, 0.32, 0.33, 0.1, 0, 0}; // a value, by coding
};

/// For lanes that have a block each: what has the fewest bytes is fastest.
inline constexpr Cost fewest_bytes{.block       = 0,
                                   .vector      = 0,
                                   .x           = 0,
                                   .crossing    = 0,
                                   .row         = 0,
                                   .sum         = 0,
                                   .miss        = 0,
                                   .byte        = 1,
                                   .stream      = 1,
                                   .near_stream = 1,
                                   .column      = sizeof(std::int32_t),
                                   .decode      = kernels::no_costs};

// Cost::near_stream of what comes from the last cache, where that is not slow (kernels/host/cache.hpp). Where it is,
// blocks are near that take up to such a share of the second one.
inline constexpr double last_cache_stream = 0.013, second_cache_share = 0.75;

} // namespace petscspmv::bccoo::tuning
