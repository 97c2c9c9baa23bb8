#pragma once

/// \file conversion.hpp
/// How long building and refreshing take.

#include "measure/contest.hpp"

namespace petscspmv::bench {

/// Seconds of one build and one refresh, both without the product that brings them about, and of that product.
struct ConversionSample {
  double build = 0, refresh = 0, product = 0;
};

/// Builds the entrant's product, which must be a fresh one; checks it; doubles its values, refreshes and checks again.
/// A wrong result is noted in the entrant.
ConversionSample sample_conversion(Clock &clock, Entrant &entrant, const ContestSettings &settings);

} // namespace petscspmv::bench
