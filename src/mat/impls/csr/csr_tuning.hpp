#pragma once

/// \file csr_tuning.hpp
/// The numbers of both ways to deal on the host, and those that choose the loop there, each with the measurement that
/// chose it.

#include <cstdint>

namespace petscspmv::csr::tuning {

inline constexpr std::int64_t bunch      = 8;   // T
inline constexpr std::int64_t height     = 128; // W
inline constexpr std::int64_t steps      = 4;   // S
inline constexpr std::int64_t group      = 4;   // B
inline constexpr std::int64_t skip_empty = 50;

// Entries of a ticket, about, if nobody asks for a number of rows: a share of all, because the last tickets shall be
// small against the whole product, but within bounds, because a thread that goes on somewhere else has to fill its
// streams anew. Two cores of an AMD Zen 4, milliseconds with 64, 256, 1024, 8192 and 65536 rows a ticket: 7pt:100 (7
// entries a row) 5.71, 4.62, 3.42, 2.81, 2.85; a circuit of 300,000 rows (7.8) 1.55, 1.25, 1.20, 1.25, 1.32; rmat:18
// (15) the same within the noise.
inline constexpr std::int64_t most_ticket_entries = 65536, least_ticket_entries = 8192, ticket_share = 64;
// Rows are dealt in multiples of this many, so that two threads seldom write to one cache line of y.
inline constexpr std::int64_t ticket_grain = 8;
// Longest row that is summed at once. The circuit with twenty long rows that have 15 % of its entries, in pieces of
// 2048, 16384 and not at all: 1.33, 1.20, 1.21.
inline constexpr std::int64_t piece = 16384;
// Rows whose products are summed together by segmented sums. One core of an AMD Zen 4, speed over that of aij with 64,
// 256 and 1024 rows: scircuit 1.17, 1.45, 1.42; fem:20000 1.66, 1.69, 1.70.
inline constexpr int tile_rows = 256;

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

} // namespace petscspmv::csr::tuning
