#pragma once

/// \file row_lengths.hpp
/// Row lengths with a given mean, standard deviation and maximum.

#include <cstdint>
#include <vector>

#include "matrix/random.hpp"

namespace petscspmv::bench {

struct RowLengthTarget {
  std::int64_t rows      = 0;
  std::int64_t most      = 0; ///< no row can be longer (the number of columns)
  double       mean      = 0;
  double       deviation = 0;
  std::int64_t longest   = 0;
};

/// Lengths in random order. Their sum is round(rows * mean), the longest is `longest`; the deviation is met to a few
/// per cent.
std::vector<std::int64_t> draw_row_lengths(const RowLengthTarget &target, Random &random);

} // namespace petscspmv::bench
