#pragma once

/// \file csr_tuning.hpp
/// The numbers of both ways to deal on the host, each with the measurement that chose it. Those that choose the loop
/// are in kernels/rows/order_tuning.hpp.

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

} // namespace petscspmv::csr::tuning
