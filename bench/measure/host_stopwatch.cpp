#include "measure/host_stopwatch.hpp"

#include <algorithm>
#include <cmath>

namespace petscspmv::bench {

void HostStopwatch::calibrate(Entrant &e, Regime regime)
{
  e.repeats = 1;
  if (regime == Regime::cold) return;
  e.product->multiply();
  const double one = std::max(timed(clock_, *e.ranks, [&] { e.product->multiply(); }), 1e-9);
  e.repeats        = std::clamp<std::int64_t>(std::int64_t(std::ceil(settings_.batch / one)), 1, settings_.products);
}

double HostStopwatch::sample(Entrant &e, Regime regime)
{
  return regime == Regime::cold ? cold(e) : warm(e);
}

double HostStopwatch::cold(Entrant &e)
{
  flush_.run(e.ranks->size(), e.name.threads);
  return timed(clock_, *e.ranks, [&] { e.product->multiply(); });
}

double HostStopwatch::warm(Entrant &e)
{
  e.product->multiply(); // the one before was somebody else's
  return timed(clock_, *e.ranks,
               [&] {
                 for (std::int64_t k = 0; k < e.repeats; ++k) e.product->multiply();
               }) /
         double(e.repeats);
}

} // namespace petscspmv::bench
