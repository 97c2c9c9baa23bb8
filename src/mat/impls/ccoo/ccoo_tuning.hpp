#pragma once

/// \file ccoo_tuning.hpp
/// The numbers of the format on the host, and what its tiles cost on every kind of machine.

#include <cstddef>
#include <cstdint>

#include "kernels/coding/values.hpp"
#include "kernels/host/cache.hpp"

namespace petscspmv::ccoo::tuning {

// Rows of a tile, unless the option says otherwise.
inline constexpr int tile_rows = 512;
// Most rows of a tile that can be asked for.
inline constexpr int most_tile_rows = 4096;
// Rows that are analysed together and share tables of values: a multiple of 8 rows of every size of nodes, so that
// nodes are not cut.
inline constexpr std::int64_t region_rows = std::int64_t(480) * 136;
// Columns of a panel, with whose end a piece of a long row ends if it has so many entries by then: 16 bits for a
// column, half of a second cache of 1 MB for x.
inline constexpr std::int32_t panel_columns       = 1 << 16;
inline constexpr std::int64_t least_piece_entries = 1024;
// Rows that have this many times the entries of the mean of their tile, within bounds, are cut into chunks.
inline constexpr std::int64_t long_factor = 4, least_long = 256, most_long = 2048;
// Entries of a chunk of the paper's form, of a chunk of several rows, and of a piece of a long row, at most.
inline constexpr std::int64_t chunk_entries = 1024, most_chunk_entries = 4096, piece_entries = 16384;
// Mean length of rows from which on tiles with raw values are done row after row: elsewhere, and where x is far apart
// (so many new cache lines per hundred entries, 32 bits a column); in matrices that come from memory.
inline constexpr std::uint32_t chunked_mean = 80, chunked_mean_apart = 13;
inline constexpr std::int64_t  apart_percent = 75;
// Mean length of the rows of a chunk from which on each is summed by itself: a vector is then more than half full.
inline constexpr std::uint32_t dot_mean = 12;
// Chunks that share tables of values.
inline constexpr std::int64_t region_chunks = 256;

// Tiles are done strip by strip if their strips have this many times fewer slots than their groups (eight times fewer:
// groups are equal), and if new strips take at most this many bytes an entry. A slot of a strip takes as long as about
// two of single groups.
inline constexpr std::size_t strip_slot = 3, strip_bytes = 2;
// What groups whose values are with their patterns take of what others do.
inline constexpr double strips_cost = 0.5;
// Percent of the bytes of all values that those of slots without one value may take, with the others in the pool, for
// these to be taken apart.
inline constexpr std::size_t mixed_percent = 75;
// How far ahead x is prefetched: bytes where it is read in order (to the second cache), entries where it is read by
// index.
inline constexpr int x_ahead_bytes = 8192, x_ahead_entries = 320;
// Nodes of a gather tile to one whose cache lines of x are listed: more make the build longer, and no product faster.
inline constexpr int listed_nodes = 4;
// Entries to a line of x, at least, for the list to be kept, where columns take fewer than 32 bits and where they take
// 32.
inline constexpr std::uint32_t entries_of_line = 8, entries_of_line_wide = 24;
// Slots whose next one is nearer than this read what that one has brought to the cache: half of a second one.
inline constexpr int x_far_entries = kernels::second_cache_bytes / 2 / sizeof(double);
// Columns that are prefetched, as far ahead as values are.
inline constexpr int column_ahead_bytes = 4096;
// Bytes of x and y together, in shares of the largest cache, from which on y is written past it: a write through a
// cache reads the line first, and x stays.
inline constexpr double y_past_caches = 0.25;

// Products with eight vectors, AMD Zen 4, beside other work, one core, times in ms beside those of PETSc's aij in the
// same run.
// Bytes of the pieces at which vectors take turns: a part of the second cache. With 64 KB, 256 KB, 512 KB and 1 MB:
// 27-point 64^3, variable 20.2, 17.5, 20.1, 17.3 (aij 36 to 41, eight products 34); 7-point 100^3, variable 32.3, 28.3,
// 31.8, 29.7 (aij 41 to 48, eight products 42 to 55).
inline constexpr std::size_t batch_bytes = std::size_t(256) << 10;
// Share of the work, as predicted, that has scattered x, from which on plain CSR is faster, which packs X. Ratios to
// aij with X packed and without: all of it scattered, rmat:18 1.76, 0.52, fem:200k 1.18, 0.71, circuit:500k 0.98, 0.64;
// 18 % of it, teko_lsc_F_2 1.74, 0.94; none of it, 7-point 100^3 with constant coefficients 1.50, 2.27.
inline constexpr double scattered_share = 0.1;
// Entries for each row and column from which on that is so: where there are fewer, X and Y are most of what there is to
// read. Times of plain CSR over our own: Pd (0.8 entries) 1.17, power (1.3) 1.14, NotreDame_www (1.4) 0.90, arrow (1.5)
// 1.61, boyd2 (1.6) 1.26, hep-th (1.9) 0.99, lp_dfl001 (1.95) 0.58, wing (1.96) 0.71.
inline constexpr double several_entries = 1.7;

/// Predicted nanoseconds; only their ratios matter. They choose between kinds of tiles and deal work to threads. What
/// costs most are loops that end elsewhere than the one before. Codings: what a value takes besides its bytes, which
/// cost as much as `byte` says where they come from memory (kernels/host/cache.hpp), and a quarter elsewhere.
struct Cost {
  double               slot = 0.9, masked_slot = 1.25, group = 1.5; // diagonal: a slot that all lanes have, another one, a group,
  double               other_group = 6, uneven_group = 12;          // one that is not like the one before, or has not as many slots
  double               repeated = 1; // of all that, if values may be with their patterns: where they are not, another look
  double               gathered = 0.20, product = 0.04;         // gather: an entry of x, a value
  double               gather_group = 3.0, scattered_row = 0.4; // a group, a row that is not in its place
  double               length = 15;                             // another length of rows in a tile
  double               entry = 0.3, segment = 5;                // chunks: an entry, a row or a part of one
  double               empty_row = 0.1;
  double               byte      = 0.027;                    // that is read from memory; a quarter of it in caches
  kernels::CodingCosts decode{0, 0.4, 0.2, 0.2, 0.03, 0, 0}; // a value, by coding
};

inline constexpr Cost avx512_cost{.repeated = 0.4, .decode = {0, 0.1, 0.16, 0.19, 0, 0, 0}};
/// The same where the last cache is slow (kernels/host/cache.hpp): tables pay from there.
inline constexpr Cost avx512_slow_cache_cost{.repeated = 0.4, .decode = {0, 0.03, 0.2, 0.23, 0, 0, 0}};

/// Without masks of AVX-512 a slot with holes takes several times as long as a full one.
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
                                .decode        = {0, 0.12, 0.17, 0.16, 0.01, 0, 0}};
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
                                    .length        = 40};
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
                                   .decode        = {0, 0.08, 0.15, 0.3, 0.02, 0, 0}};

/// Of a whole device.
inline constexpr Cost device_cost{.slot          = 0.05,
                                  .masked_slot   = 0.09,
                                  .group         = 0.1,
                                  .other_group   = 0,
                                  .uneven_group  = 0,
                                  .gathered      = 0,
                                  .product       = 0.0008,
                                  .gather_group  = 0,
                                  .scattered_row = 0,
                                  .length        = 0,
                                  .entry         = 0.0012,
                                  .segment       = 0,
                                  .empty_row     = 0.002,
                                  .byte          = 0.000236,
                                  .decode        = {0, 0.0001, 0.002, 0.002, 0, 0, 0}};

} // namespace petscspmv::ccoo::tuning
