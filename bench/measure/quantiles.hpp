#pragma once

/// \file quantiles.hpp

#include <vector>

namespace petscspmv::bench {

/// The distribution of a sample: times in seconds, or ratios.
struct Quantiles {
  int    count  = 0;
  double least  = 0;
  double lower  = 0; ///< first quartile
  double median = 0;
  double upper  = 0; ///< third quartile
};

/// Quartiles by linear interpolation between the sorted values (type 7 of Hyndman and Fan, R's default).
Quantiles quantiles_of(std::vector<double> values);

/// exp of the mean of logarithms; 0 for no values.
double geometric_mean(const std::vector<double> &values);

} // namespace petscspmv::bench
