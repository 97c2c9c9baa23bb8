#pragma once

/// \file search_tuning.hpp
/// The numbers of the search.

namespace petscspmv::tune::tuning {

// Candidates predicted to take so many times the best prediction are left out: predictions of 53 matrices were off by less than that
// against each other on 95 % of them (docs/tuning.md).
inline constexpr double hopeless = 1.5;
// What variations are expected to take at least, in products of the defaults, where nobody had time to predict them or the type tells the same of
// them, and where it tells something else; and the share of the budget that predictions may take.
inline constexpr double unknown = 1.05, different = 1.02, predicting_share = 0.1;
// Candidates that take so many times the best are dropped after the quick rounds.
inline constexpr double behind       = 1.25;
inline constexpr int    quick_rounds = 2, rounds = 4;
// What is closer than this to the best, or up to a quarter faster, gets more rounds: twice as many bring two timings of the same to within 2 %.
inline constexpr double close        = 0.05;
inline constexpr int    close_rounds = 8;
// By less than this a type is not better than one that was tried before: what two timings of the same differ by. Variations need more: two builds of
// the same differ by that, as their arrays lie in caches, and there are many of them to be lucky.
inline constexpr double least_gain = 0.02, least_gain_of_variations = 0.04;
// The same for what takes the place of the model's choice, and how much slower that may be than what was tried before it. Three searches of each of 58
// matrices: 29 times something seemed to be up to 15 % faster than the model's choice; in nine other builds of both it took 1.01 times as long in the
// mean, 0.93 to 1.13. Of twelve that seemed to be faster by more, three were, by 22 to 34 %.
inline constexpr double distrust = 0.15, trust = 0.08;
// A timing takes at least so long: a hundred times what the clock can tell apart.
inline constexpr double least_seconds = 5e-6;
inline constexpr int    most_times    = 256;
// Products after a build that do not count: a processor learns where rows end. A linear program of 507 rows, us of plain CSR's first products and on:
// 361, 224, 160, 149, 147, 145; of ccoo's 258, 166, 177, 173, 160, 200, 131, 128.
inline constexpr int settling = 5;

} // namespace petscspmv::tune::tuning
