#pragma once

/// \file stopwatch.hpp
/// How one product is timed, where products run: on the host or on a device.

#include "records/record.hpp"

namespace petscspmv::bench {

struct Entrant;

class Stopwatch {
public:
  virtual ~Stopwatch() = default;

  /// Before the samples of a regime: decides on entrant.repeats, the products of a sample.
  virtual void calibrate(Entrant &entrant, Regime regime) = 0;

  /// Seconds of a product: of one that finds the caches empty (cold), or the mean of entrant.repeats (warm).
  virtual double sample(Entrant &entrant, Regime regime) = 0;
};

} // namespace petscspmv::bench
