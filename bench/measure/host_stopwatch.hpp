#pragma once

/// \file host_stopwatch.hpp
/// Products on the host: the clock is read before and after, and a product is over when the call returns.

#include "measure/contest.hpp"
#include "measure/streams.hpp"

namespace petscspmv::bench {

class HostStopwatch final : public Stopwatch {
public:
  HostStopwatch(Clock &clock, CacheFlush &flush, const ContestSettings &settings) : clock_(clock), flush_(flush), settings_(settings) { }

  void   calibrate(Entrant &entrant, Regime regime) override;
  double sample(Entrant &entrant, Regime regime) override;

private:
  double cold(Entrant &entrant);
  double warm(Entrant &entrant);

  Clock                 &clock_;
  CacheFlush            &flush_;
  const ContestSettings &settings_;
};

} // namespace petscspmv::bench
