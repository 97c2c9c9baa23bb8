#pragma once

/// \file bccoo_tuning.hpp
/// The numbers of the format on the host, each with the measurement that chose it.

#include <cstddef>
#include <cstdint>

#include "kernels/coding/values.hpp"
#include "kernels/host/cache.hpp"

namespace petscspmv::bccoo::tuning {

// Tiles that share tables of values.
inline constexpr std::int64_t tiles_alike = 256;

// Block rows that are counted by a thread at a time.
inline constexpr std::int64_t count_batch = 4096;

// The sizes of a matrix (as CSR, over that of the largest cache) between which values and x are asked for early
// (kernels/lanes/block_sums.hpp), and the bytes of a block below which they are for larger ones, too. AMD Zen 4 with 32
// MB, ns an entry without any, with values, and with both: blocks of 2 x 2, mesh of two unknowns a node, 156 MB, 0.55,
// 0.50, 0.43, 27-point 0.44, 0.43, 0.41, 7-point 117 MB 0.65, 0.41, 0.39; 3 x 2, mesh 155 MB 0.36, 0.34, 0.29, 27-point
// 0.32, 0.33, 0.27; 3 x 3, mesh 158 MB 0.41, 0.45, 0.38, 27-point 0.31, 0.39, 0.38; 4 x 2 and 2 x 4, 160 MB 0.31, 0.37,
// 0.35 and 0.32, 0.39, 0.39; 5 x 5, 151 MB, 0.32, 0.38, 0.38. Whoever asks stops the processor from foreseeing what it
// reads, which it does well if blocks are lines and more.
inline constexpr std::size_t foreseen_bytes = 64;
inline constexpr double      least_afar = 1, most_afar = 1.6;

// Values of a tile that comes from afar, if the option does not say otherwise: with coded values as many as the first
// cache holds once they are decoded, besides all else. AMD Zen 4, 27-point 32^3 with three unknowns a node, ns an entry
// with 4096, 2048 and 1024: floats 0.38, 0.21, 0.21, tables of 256 0.36, 0.35, 0.32, as they are 0.26, 0.26, 0.26.
// Elsewhere values are rarely coded, and more at a time are faster: 17 matrices and meshes in caches with 1024 1.03
// times the time of 4096.
inline constexpr std::int64_t tile_from_afar = 2048;

// Tiles at which several vectors take turns: 256 KB of values, as in ccoo.
inline constexpr std::size_t batch_tiles = 8;

// How the shape of blocks is found: rows of a sample, their distance at least (a multiple of all sides of blocks), and
// how many entries all samples have, about: a share of the matrix, and limits. Looking takes some 60 ns an entry. With
// 120 rows in up to sixteen samples, it was a fifth to a quarter of building matrices of 100,000 to 400,000 entries,
// and chose the same shapes for 58 of 59 matrices (but for one, of which a third of the blocks is entries). Of rows
// that are much longer than that, only some columns are looked at: a matrix of 25 rows of 5000 entries was built in 91
// products of plain CSR instead of 213. Small ones are looked at in three places: one of 180 rows got 4 x 1 from its
// first 24, 1.4 times 8 x 1.
inline constexpr std::int64_t sample_rows = 24, sample_stride = 840, sampled_share = 24, least_samples = 3,
                              least_sampled = std::int64_t(1) << 13, most_sampled = std::int64_t(1) << 17;

// Bytes of x in a slice, about those of the second cache; slices at most; and blocks of a block row in a slice, at
// least, that pay for its sums. Rows must, in the mean of some of them, reach over half of the columns. AMD Zen 4, ms
// with 1, 4, 8 and 16 slices (aij, ccoo): twin of rail4284 (4284 rows, 2634 entries a row, x 8.8 MB) 24.9, 13.4, 13.6,
// 15.0 (31.8, 13.2); linear program of 3000 rows, 13,181 entries a row, x 16 MB 204, 64.4, 60.2, 55.4 (196, 116). With
// short rows none pays: 27-point with shuffled nodes 0.384, 0.445, 0.595, 0.902 ns an entry.
inline constexpr std::int64_t most_slices = 32, span_samples = 64, slice_bytes = kernels::second_cache_bytes, slice_blocks = 32;

// A shape is not chosen if it takes so many times the memory of the shape that takes least, and more than CSR takes,
// times a number where the matrix stays in caches: in a core's second one, with up to so many bytes as CSR, or in the
// last one. Zeros that come from there cost less than blocks that are too small. Blocks that are chosen in 58 real
// matrices of up to 7 MB, geometric means over the fastest of all shapes (and bytes over CSR): with 1 and 1 1.64
// (0.83), 1.5 and 1 1.37 (1.08), 2 and 1 1.27 (1.29), 2 and 1.5 1.15 (1.47), 3 and 2 1.05 (1.75).
inline constexpr double most_bytes = 1.2, most_in_second_cache = 2, most_in_last_cache = 1.5;

// Lines of 64 bytes of a core's first cache. A row that touches more of x finds none of it there that the row before
// has left.
inline constexpr double first_cache_lines = kernels::first_cache_bytes / 64;

/// Predicted nanoseconds of a product. They choose between shapes of blocks, columns, and codings of values.
/// What blocks take: fitted to all shapes of 29 matrices and 13 meshes with two
/// to six unknowns a node (20,000 to 1.3 million entries; raw values), one core of an AMD Zen 3, and divided by 1.15,
/// what plain CSR takes there over its prediction: off by 16 % (median), 32 % at most on four of five; the shapes that
/// they choose take 1.02 times as long as the best one that is not too large (geometric mean), where those of numbers
/// from before block rows were summed one after the other (AMD Zen 4) took 1.08 times as long. A block row: 3.9 fits as
/// well, but there are uneven rows in it. Codings: 27-point 16^3 and 32^3 with
/// three unknowns a node (11 and 90 MB) and twelve different values, AMD Zen 4, ns an entry of values as they are, in
/// tables of 16, 256 and 65536, and as floats: 0.15, 0.27, 0.41, 0.40, 0.27 and 0.26, 0.21, 0.33, 0.39, 0.22 (AVX-512),
/// 0.15, 0.30, 0.43, 0.40, 0.28 and 0.28, 0.25, 0.34, 0.40, 0.22 (AVX2).
struct Cost {
  double block = 0.12, vector = 0.08, x = 0.033; // a block, a vector of it (twice that if it is longer than 4), an x
  double crossing = 0.05;                        // a vector of values that lies in two cache lines
  double row = 2.0, sum = 0.1;                   // a block row, each further sum of one
  double miss   = 1.3;                           // a line of x that is not in the first cache, fitted to 53 matrices
  double byte   = 0.035;                         // that is read from memory; a quarter of it in caches
  double stream = 0.035, near_stream = 0.011;    // the same of blocks, which are asked for long before they are needed, and in a near cache
  double column = 2;                             // bytes of a block column
  kernels::CodingCosts decode{0.05, 0.21, 0.32, 0.33, 0.1, 0}; // a value, by coding
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
                                   .decode      = {}};

// Cost::near_stream of what comes from the last cache, where that is not slow. Fitted with Cost; 27-point 8^3 with six
// unknowns a node (2.2 MB) with blocks of 6 x 4, as 0.004 has it, takes 1.12 times as long as with 6 x 6. Where it is
// slow (kernels/host/cache.hpp), only blocks are near that the second cache holds, with vectors and what else is there:
// a linear program of 25 long rows (lp_fit2d, 1.6 MB as CSR, Xeon with 2 MB) takes in blocks of 1 x 4, 2 x 4 and 5 x 8,
// which are 1.3, 1.9 and 2.2 MB, in three runs 41, 48, 32 us, 59, 66, 34 and 63, 69, 41; AMD Zen 4, 1 x 4 and 5 x 8, 32
// and 29.
inline constexpr double last_cache_stream = 0.013, second_cache_share = 0.75;

} // namespace petscspmv::bccoo::tuning
