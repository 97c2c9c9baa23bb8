#pragma once

/// \file search_tuning.hpp
/// The numbers of the search.

#include <cstddef>

namespace petscspmv::select::tuning {

// Candidates predicted to take so many times the best prediction are left out, and types predicted to take so many
// times the best that was tried: on 95 % of 53 matrices predictions were off by less against each other.
inline constexpr double hopeless = 1.5;
// What variations are expected to take at least, in products of the defaults, where nobody had time to predict them or
// the type tells the same of them, and where it tells something else; and the share of the budget that predictions may
// take.
inline constexpr double unknown = 1.05, different = 1.02, predicting_share = 0.1;
// Candidates that take so many times the best are dropped after the least pairs of turns, and variations predicted to
// are left out.
inline constexpr double behind = 1.25;
// Products of a turn, and those after products of another candidate that do not count: without them bccoo seemed slower
// by 10 to 60 %.
inline constexpr int warming = 3, timed = 3;
// Pairs of turns: at least so many, those that speak against the model, and at most. With two pairs 5 searches in a
// hundred ended at more than 1.15 times the best, with four 1.
inline constexpr std::size_t least_pairs = 3, least_pairs_against = 7, most_pairs = 13;
// Products after a build that do not count, as a processor learns where rows end: until so many were not faster by a
// share than the fastest before, or at most so many. A linear program, us of the first products: 361, 224, 160, 149.
inline constexpr int    settling = 8, most_settling = 40;
inline constexpr double settles = 0.02;
// Products that a trial takes at least: the first one, those that settle, and the least pairs, of which each changes
// from one candidate to the other once.
inline constexpr int least_products = 1 + settling + int(least_pairs) * (warming + 2 * timed);
// A ratio is clear if the median is further from the limit than so many standard errors, of ratios that differ by no
// less than the least spread.
inline constexpr double doubt = 2, least_spread = 0.02;
// By less than this a type is not better than one that was tried before: what two timings of the same differ by.
// Variations need more, as there are many of them to be lucky.
inline constexpr double least_gain = 0.02, least_gain_of_variations = 0.04;
// The same for what takes the place of the model's choice, and how much slower that may be than what was tried before
// it. Within 15 % of the best on 35 matrices: 100 %, with 4 and 4 % 99 %.
inline constexpr double distrust = 0.05, trust = 0.05;
// A timing takes at least so long: a hundred times what the clock can tell apart.
inline constexpr double least_seconds = 5e-6;
inline constexpr int    most_times    = 256;

} // namespace petscspmv::select::tuning
