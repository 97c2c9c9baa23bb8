#pragma once

/// \file renumbering_tuning.hpp
/// The numbers by which rows get another order, each with the measurement that chose it.

#include <cstddef>
#include <cstdint>

namespace petscspmv::ccoo::tuning {

// Cache lines of x that are taken to be at hand: half of a first cache of 32 KB, and of a second one of 1 MB. Prime, so
// that planes of a grid are not taken for each other.
inline constexpr std::int64_t first_lines = 251, second_lines = 8191;
// Nanoseconds that a line takes which the first cache does not have; and what it takes more if the second one does not
// have it, either, where x is so large that the last cache hands it out slowly (far_x_bytes). Fitted to meshes,
// shuffled stencils, an R-MAT graph and a circuit in two orders each, AMD Zen 4.
inline constexpr double near_miss = 0.8, far_miss = 0.25;
// Windows of consecutive rows in which the cache lines that a product must fetch are counted.
inline constexpr std::int64_t miss_windows = 8, miss_rows = 2048;
// What another order costs, nanoseconds a row: y is scattered; x is gathered, too. A band of 400,000 rows, AMD Zen 4:
// 1.6, 1.8; powerlaw 2.2, 4.
inline constexpr double moved_rows = 2.5, moved_both = 3.5;
// Share of the cost as it is that is left, at most: below, products pay for finding the order sooner or later.
inline constexpr double renumbered_share = 0.75;
// A level of a breadth-first search that holds more than one in so many rows: no order helps then.
inline constexpr std::int64_t widest_level = 8;
// Rows with the columns of rows elsewhere are joined if they have so many entries in the mean, if at most this share of
// so many rows looked at is like the one before, and at least that in the order of columns. A sparse layer of 32
// entries a row, AMD Zen 4: 0.66 of plain CSR instead of 0.83.
inline constexpr std::int64_t joined_mean = 16, joined_samples = 256;
inline constexpr double       joined_before = 0.25, joined_share = 0.6;
// Rows whose places are prefetched, in a search and in a copy; and entries of vectors that are moved. To gather 300,000
// rows in random order, AMD Zen 4: 1.6 ns a row instead of 2.9.
inline constexpr std::int64_t rows_ahead = 8, entries_ahead = 64;
// The same where values alone are copied. 300,000 rows of 15 entries: 4.7 ms instead of 7.5.
inline constexpr std::int64_t copied_ahead = 16;
// Rows whose places among the values are looked up ahead. Rows of 15 entries, AMD Zen 3: 0.22 ns an entry instead of
// 0.37.
inline constexpr std::size_t begins_ahead = 32;

} // namespace petscspmv::ccoo::tuning
