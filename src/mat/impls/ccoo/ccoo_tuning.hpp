#pragma once

/// \file ccoo_tuning.hpp
/// The numbers of the format on the host, each with the measurement that chose it.

#include <array>
#include <cstddef>
#include <cstdint>

namespace petscspmv::ccoo::tuning {

// Rows of a tile, if the option does not say otherwise. AMD Zen 4, ns an entry with 512, 1024 and 4096 rows:
// NotreDame_www 1.42, 1.53, 1.45, a circuit of 500,000 rows 1.09 with 512, 1.13 with 2048, 0.99 with 4096: within what
// runs differ by, and smaller tiles suit more kinds.
inline constexpr int tile_rows = 512;
// Most rows of a tile that can be asked for.
inline constexpr int most_tile_rows = 4096;
// Rows that are analysed together and share tables of values: a multiple of 8 rows of every size of nodes, so that
// nodes are not cut.
inline constexpr std::int64_t region_rows = std::int64_t(480) * 136;
// Columns of a panel, with whose end a piece of a long row ends if it has so many entries by then: 16 bits for a
// column, half of a second cache of 1 MB for x. AMD Zen 4, a circuit of 3 M rows, 20 of which have 420,000 entries
// each: without panels 59 ms, with panels of 2^15, 2^16 and 2^17 columns 41, 38, 38; with pieces of at least 256 and
// 4096 entries 38, 38.
inline constexpr std::int32_t panel_columns       = 1 << 16;
inline constexpr std::int64_t least_piece_entries = 1024;
// Rows that have this many times the entries of the mean of their tile, within bounds, are cut into chunks.
inline constexpr std::int64_t long_factor = 4, least_long = 256, most_long = 2048;
// Entries of a chunk of the paper's form, most of a chunk of several rows, and of a piece of a long row. AMD Zen 4, ns
// an entry with 1024 and 4096: blocks of 3 with shuffled rows 0.61, 0.63.
inline constexpr std::int64_t chunk_entries = 1024, most_chunk_entries = 4096, piece_entries = 16384;
// Mean length of rows from which on tiles whose values are not coded are done row after row, where x is far apart and
// columns take 32 bits, and elsewhere, in matrices (as CSR) from this size on; and new cache lines of x per hundred
// entries from which on it is far apart. AMD Zen 4, time row after row over that of gather tiles, random columns with
// 12, 14, 16, 28 and 40 entries a row 0.98, 0.74, 0.67, 0.67, 0.61, twin of radiation (95 lines, 34 entries) 0.66; 42
// to 45 lines: thermomech_dK (14 entries) 1.23, cop20k_A (22) 1.08; meshes, 16 to 20 lines, with 12, 20, 28 and 40
// entries 2.29, 1.32, 1.18, 1.03; rma10 (51) 1.00, shipsec1 (55) 0.99, cant (64) 1.04, consph (72) 1.02, pdb1HYS (119)
// 0.89.
inline constexpr std::uint32_t chunked_mean = 80, chunked_mean_apart = 13;
inline constexpr std::int64_t  apart_percent = 75;
// New cache lines of x per hundred entries from which on gathers take the place of loads there (see
// kernels/rows/order_tuning.hpp).
inline constexpr std::int64_t scattered_percent   = 38;
inline constexpr std::int64_t row_after_row_bytes = std::int64_t(24) << 20;
// Mean length of the rows of a chunk from which on each is summed by itself: from there on a vector is more than half
// full. AMD Zen 4, ns an entry: blocks of 3 with shuffled rows (75 entries a row) 1.23 together, 0.85 each by itself.
inline constexpr std::uint32_t dot_mean = 12;
// Chunks that share tables of values.
inline constexpr std::int64_t region_chunks = 256;

// Tiles are done strip by strip if their strips have this many times fewer slots than their groups (eight times fewer:
// groups are equal), and if new strips take at most this many bytes an entry. A slot of a strip takes as long as about
// two of single groups.
inline constexpr std::size_t strip_slot = 3, strip_bytes = 2;
// What groups whose values are with their patterns take of what others do. AMD Zen 4, of plain CSR, values of few kinds
// coded and with patterns, in strips: cont-300 0.25, 0.18, cont-201 0.26, 0.23, dwt_878 0.35, 0.24.
inline constexpr double strips_cost = 0.5;
// Percent of the bytes of all values that those of slots without one value may take, with the others in the pool, for
// these to be taken apart. H200, cold, 7-point 160^3, of which only the diagonal changes: 36 us instead of 77.
inline constexpr std::size_t mixed_percent = 75;
// How far ahead x is asked for: bytes where it is read in order (to the second cache), entries where it is read by
// index. AMD Zen 4, 7-point 160^3: 4 KB to the first cache 3.4 ms, 8 KB to the second 3.1; ns an entry with 320 entries
// to the first cache and 160, 320, 640 to the second: a circuit of 3 M rows 1.82, 1.59, 1.58, 1.77, R-MAT 20 (without
// chunks asking) 2.40, -, 1.98, -.
inline constexpr int x_ahead_bytes = 8192, x_ahead_entries = 320;
// Nodes of a gather tile to one whose cache lines of x are listed. AMD Zen 4, ns an entry, every node, every second,
// every fourth one: a mesh of 300,000 points 0.63, 0.66, 0.62, its build 15.1, 14.5, 13.6 and without lists 13.2.
inline constexpr int listed_nodes = 4;
// Entries to a line of x, at least, for the list to be kept, where columns take fewer than 32 bits and where they take
// 32: four bytes for each line, 4 and 1.4 % of plain CSR.
inline constexpr std::uint32_t entries_of_line = 8, entries_of_line_wide = 24;
// Slots whose next one is nearer than this read what that one has brought to the cache: half of a cache of 1 MB.
inline constexpr int x_far_entries = 1 << 16;
// Columns that are asked for early, as far ahead as values are; with shuffled rows no more than the noise of a run.
inline constexpr int column_ahead_bytes = 4096;
// Size of a matrix (as CSR) from which on x and the streams come from memory.
inline constexpr std::int64_t memory_bytes = std::int64_t(8) << 20;
// Bytes of x and y together, in shares of the largest cache, from which on y goes to memory past it: a write through a
// cache reads the line first, and x stays. AMD Zen 4, 32 MB, products back to back, ms through the cache and past it,
// by MB of x and y: 7-point 4.2: 0.146, 0.144, 8.2: 0.33, 0.28, 11: 0.50, 0.40, 14: 1.4, 1.0; 27-point 6: 0.35, 0.41,
// 8.2: 0.49, 0.49, 11: 0.79, 0.79, 14: 1.4, 1.05, 32: 3.0, 2.2. Conjugate gradients, which read y again: 0.98 in the
// mean of ten grids of 4 to 34 MB, and of a second run. Meshes, graphs and circuits, whose time is their matrix's: 1.
inline constexpr double y_past_caches = 0.25;

/// Predicted nanoseconds; only their ratios matter. They choose between kinds of tiles and deal work to threads. AMD
/// Zen 5, AVX-512. Diagonal tiles and lengths: fitted to how many times a gather tile diagonal ones take on 100
/// matrices with random values, AMD Zen 4. Loops that end elsewhere than the one before are what costs most; before
/// they counted, diagonal tiles were chosen where nearly each group is different, though all rows are as long (mc2depi,
/// 1.5). Bands of 100,000 and 400,000 rows with random holes: with lengths at 15, which gives gather tiles, 0.40 and
/// 0.54 ns an entry, at 60, which gives diagonal ones, 0.46 and 0.50, and builds that take 1.4 times as long. Chunks:
/// ns an entry with 4, 5, 6, 10, 38 and 64 entries a row 1.4, 1.2, 1.8, 1.4, 0.6, 0.4.
///
/// Codings: 18 matrices and meshes with twelve different values, forced to be coded in each way, AMD Zen 4; what a
/// value takes besides its bytes, which cost as much as `byte` says where they come from afar (kernels/host/cache.hpp),
/// and a quarter elsewhere. ns an entry of gather tiles with values as they are, in tables of 16, 256 and 65536, and as
/// floats: in caches (bcsstk16) AVX-512 0.20, 0.23, 0.31, 0.33, 0.16, AVX2 0.19, 0.27, 0.30, 0.30, 0.17, portable 0.34,
/// 0.97, 0.52, 0.53, 0.38; from memory (27-point 64^3) AVX-512 0.44, 0.36, 0.43, 0.49, 0.33, AVX2 0.44, 0.38, 0.43,
/// 0.48, 0.34, portable 0.58, 1.05, 0.69, 0.71, 0.53. Complex numbers: as it was fitted for AVX-512 before.
struct Cost {
  double                slot = 0.9, masked_slot = 1.25, group = 1.5; // diagonal: a slot that all lanes have, another one, a group,
  double                other_group = 6, uneven_group = 12;          // one that is not like the one before, or has not as many slots
  double                repeated = 1; // of all that, if values may be with their patterns: where they are not, another look
  double                gathered = 0.20, product = 0.04;         // gather: an entry of x, a value
  double                gather_group = 3.0, scattered_row = 0.4; // a group, a row that is not in its place
  double                length = 15;                             // another length of rows in a tile
  double                entry = 0.3, segment = 5;                // chunks: an entry, a row or a part of one
  double                empty_row = 0.1;
  double                byte      = 0.027;                 // that is read from memory; a quarter of it in caches
  std::array<double, 6> decode{0, 0.4, 0.2, 0.2, 0.03, 0}; // a value, by coding
  double                forecast = 1;                      // of the sum, what is told to those who compare types
};

/// `repeated`: H200's host (Xeon, AVX-512), 10 matrices and 34 stencils, meshes and bands with their own values, which
/// are few: time of the faster kind for a whole matrix with 1 1.071 (stencils of two and three unknowns a node 1.7 to
/// 2.6), with 0.4 1.017 (at most 1.2).
inline constexpr Cost avx512_cost{.repeated = 0.4, .decode = {0, 0.1, 0.16, 0.19, 0, 0}};
/// The same where the last cache is slow (kernels/host/cache.hpp): Xeon, values of their own as they are, in tables of
/// 16, and as floats, in the second cache arrow 0.59, 0.56, 0.52, beyond it rail507 0.50, 0.34, 0.40; by the numbers
/// above tables take the place of values as they are in no cache.
inline constexpr Cost avx512_slow_cache_cost{.repeated = 0.4, .decode = {0, 0.03, 0.2, 0.23, 0, 0}};

/// Without masks of AVX-512 a slot with holes takes several times as long as a full one, with AVX2 by permutations,
/// else lane by lane. Fitted on 66 real matrices and 43 stencils, meshes and bands with holes, with random values, AMD
/// Zen 3. Times of the faster kind for a whole matrix, geometric mean by the costs of AVX-512 and by these: AVX2 1.076
/// (at most 1.7), 1.009, portable lanes 1.53 (13.6), 1.008, complex numbers 1.34 (6.4), 1.02. `repeated`: with constant
/// coefficients AVX2 takes on 27-point 40^3 0.13 of what gather tiles do, 24^3 0.38, 7-point 30^3 0.38, portable lanes
/// 0.34, 0.76, 0.68, complex numbers no less than with values that change. `forecast`: fitted to how many times aijspec
/// ccoo takes on 84 matrices, and to the choice among aijspec, ccoo and bccoo by the model. What that takes is 1.13
/// times the fastest in the mean without it and 1.016 with it (AVX2), 1.32 and 1.015 (portable), 1.7 and 1.07
/// (complex).
inline constexpr Cost avx2_cost{.slot          = 0.9,
                                .masked_slot   = 5,
                                .group         = 2,
                                .other_group   = 20,
                                .uneven_group  = 4,
                                .repeated      = 0.4,
                                .gathered      = 0.10,
                                .product       = 0.07,
                                .gather_group  = 10,
                                .scattered_row = 0.2,
                                .length        = 40,
                                .decode        = {0, 0.12, 0.17, 0.16, 0.01, 0},
                                .forecast      = 0.6};
inline constexpr Cost portable_cost{.slot          = 0.9,
                                    .masked_slot   = 20,
                                    .group         = 1,
                                    .other_group   = 40,
                                    .uneven_group  = 4,
                                    .repeated      = 0.3,
                                    .gathered      = 0.14,
                                    .product       = 0.12,
                                    .gather_group  = 10,
                                    .scattered_row = 0.2,
                                    .length        = 40,
                                    .forecast      = 0.4};
inline constexpr Cost complex_cost{.slot          = 6,
                                   .masked_slot   = 22,
                                   .group         = 3,
                                   .other_group   = 50,
                                   .uneven_group  = 17,
                                   .gathered      = 0.4,
                                   .product       = 0.4,
                                   .gather_group  = 7,
                                   .scattered_row = 0.2,
                                   .length        = 50,
                                   .decode        = {0, 0.08, 0.15, 0.3, 0.02, 0},
                                   .forecast      = 0.25};

} // namespace petscspmv::ccoo::tuning
