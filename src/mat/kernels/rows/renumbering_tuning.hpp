#pragma once

/// \file renumbering_tuning.hpp
/// The numbers by which rows get another order, each with the measurement that chose it.

#include <cstddef>
#include <cstdint>

namespace petscspmv::kernels::tuning {

// x of this size is looked at.
inline constexpr std::int64_t renumbered_x_bytes = std::int64_t(1) << 20;
// Cache lines of x that are taken to be at hand: half of a first cache of 32 KB, and of a second one of 1 MB. Prime, so
// that planes of a grid are not taken for each other.
inline constexpr std::int64_t first_lines = 251, second_lines = 8191;
// Nanoseconds that a line takes which the first cache does not have; and what it takes more if the second one does not
// have it, either, where x is so large that the last cache hands it out slowly (Ahead::far_bytes). AMD Zen 4, lines a
// row of both kinds and ns a row in the rows' own order; and breadth first: 300,000 points of a mesh by one coordinate
// 11.1, 0.9, 15.5; 0.8, 0.5, 11.7; shuffled 13.7, 11.6, 22.8; 1.2, 0.5, 11.5; a million by one coordinate 12.7, 1.7,
// 20.4; 0.7, 0.5, 14.4; shuffled 9-point 500^2 8.1, 6.9, 12.5; 0.2, 0.2, 8.6; 7-point 80^3 6.1, 5.7, 8.2; 0.6, 0.4,
// 8.5, and 128^3 6.1, 6.0, 28.3; 0.4, 0.4, 17.1; R-MAT 18 12.6, 8.9, 23.7; 10.7, 1.1, 25.6; a circuit of 3 M rows 4.7,
// 4.7, 13.7, and by columns 1.6, 1.0, 15.4.
inline constexpr double near_miss = 0.8, far_miss = 0.25;
// Windows of consecutive rows in which the cache lines that a product must fetch are counted.
inline constexpr std::int64_t miss_windows = 8, miss_rows = 2048;
// What another order costs, nanoseconds a row: y is scattered; x is gathered, too. AMD Zen 4, where no order helps, so
// that this is all that changes: a band of 400,000 rows 1.6, 1.8; random columns -1.3, 3.5; powerlaw 2.2, 4.
inline constexpr double moved_rows = 2.5, moved_both = 3.5;
// Share of the cost as it is that is left, at most: below, products pay for finding the order sooner or later.
inline constexpr double renumbered_share = 0.75;
// A level of a breadth-first search that holds more than one in so many rows: neighbours of neighbours are everywhere,
// no order helps.
inline constexpr std::int64_t widest_level = 8;
// Rows with the columns of others that are elsewhere are joined if they have so many entries in the mean, if at most
// this share of them is like the one before as they are, and at least that in the order of columns, of so many rows
// that are looked at. AMD Zen 4, a layer of a sparse network (dnn_n1024_l10, 32 entries a row, 32 rows are alike), of
// plain CSR: 0.83 as they are, 0.66 joined; builds take 4 products more.
inline constexpr std::int64_t joined_mean = 16, joined_samples = 256;
inline constexpr double       joined_before = 0.25, joined_share = 0.6;
// Rows whose places are prefetched, in a search and in a copy; and entries of vectors that are moved. AMD Zen 4,
// 300,000 rows in random order, ns a row, without and with asking: to gather 2.9, 1.6, to scatter 2.3, 1.8.
inline constexpr std::int64_t rows_ahead = 8, entries_ahead = 64;
// The same where values alone are copied. 300,000 rows of 15, ms without asking and 4, 8, 16, 32, 64 rows ahead: 7.5,
// 5.9, 5.3, 4.7, 7.0, 7.1. AMD Zen 3, ns an entry, asking for the first line of a row and for all of it, 8, 16 and 32
// rows ahead: rows of 15 2.4, 2.2, 3.5 and 2.3, 2.05, 2.1; of 27 1.6, 1.8, 2.0 and 1.55, 1.45, 1.6; of 7 2.7, 2.4, 3.7
// and 2.6, 2.1, 2.1.
inline constexpr std::int64_t copied_ahead = 16;
// Rows whose places among the values are looked up. AMD Zen 3, ns an entry without and with asking: rows of 15 0.37,
// 0.22, of 27 0.25, 0.12.
inline constexpr std::size_t begins_ahead = 32;

} // namespace petscspmv::kernels::tuning
