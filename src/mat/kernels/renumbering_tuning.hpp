#pragma once

/// \file renumbering_tuning.hpp
/// The numbers by which rows get another order, each with the measurement that chose it.

#include <cstdint>

namespace petscspmv::kernels::tuning {

// x of this size is looked at, and of its cache lines so many are taken to be at hand: half of a core's own cache of 1 MB.
inline constexpr std::int64_t renumbered_x_bytes = std::int64_t(1) << 20, lines_at_hand = 8192;
// Windows of consecutive rows in which the cache lines that a product must fetch are counted.
inline constexpr std::int64_t miss_windows = 8, miss_rows = 2048;
// What another order costs, in cache lines a row: y is scattered; x is gathered, too. AMD Zen 4, time with another order over that with their
// own, rows and columns shuffled: 27-point 96^3 0.46, 7-point 128^3 0.55, 80^3 0.66, 56^3 0.67, a mesh of 1 M points (15 entries a row)
// 0.66, 150,000 points 0.47, 5-point 1000^2 1.05; rows alone: 27-point 96^3 0.21, 7-point x 3 80^3 0.42.
inline constexpr double moved_rows = 2.5, moved_both = 3.5;
// Share of the cost as it is that is left, at most: below, products pay for finding the order sooner or later.
inline constexpr double renumbered_share = 0.75;
// A level of a breadth-first search that holds more than one in so many rows: neighbours of neighbours are everywhere, no order helps.
inline constexpr std::int64_t widest_level = 8;
// Rows with the columns of others that are elsewhere are joined if they have so many entries in the mean, if at most this share of them is like the
// one before as they are, and at least that in the order of columns, of so many rows that are looked at. AMD Zen 4, a layer of a sparse network
// (dnn_n1024_l10, 32 entries a row, 32 rows are alike), of plain CSR: 0.83 as they are, 0.66 joined; builds take 4 products more.
inline constexpr std::int64_t joined_mean = 16, joined_samples = 256;
inline constexpr double       joined_before = 0.25, joined_share = 0.6;
// Rows whose places are asked for early, in a search and in a copy; and entries of vectors that are moved. AMD Zen 4, 300,000 rows in random
// order, ns a row, without and with asking: to gather 2.9, 1.6, to scatter 2.3, 1.8.
inline constexpr std::int64_t rows_ahead = 8, entries_ahead = 64;
// The same where values alone are copied. 300,000 rows of 15, ms without asking and 4, 8, 16, 32, 64 rows ahead: 7.5, 5.9, 5.3, 4.7, 7.0, 7.1.
inline constexpr std::int64_t copied_ahead = 16;

} // namespace petscspmv::kernels::tuning
