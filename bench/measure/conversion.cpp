#include "measure/conversion.hpp"

#include <algorithm>
#include <cmath>

namespace petscspmv::bench {

namespace {

/// A warm product, from as many as the clock needs. On a device only the last one is waited for.
double product_time(Clock &clock, Entrant &e, const ContestSettings &settings)
{
  const double one     = std::max(timed(clock, *e.ranks, [&] { e.product->multiply(); }), 1e-9);
  const auto   repeats = std::clamp<std::int64_t>(std::int64_t(std::ceil(settings.batch / one)), 2, settings.products);
  return timed(clock, *e.ranks,
               [&] {
                 for (std::int64_t k = 1; k < repeats; ++k) e.product->launch();
                 e.product->multiply();
               }) /
         double(repeats);
}

} // namespace

ConversionSample sample_conversion(Clock &clock, Entrant &e, const ContestSettings &settings)
{
  ConversionSample s;
  const double     first = build_and_multiply(clock, e);
  check_product(e, "after building");
  s.product = product_time(clock, e, settings);
  e.product->scale_values(2);
  const double refreshed = timed(clock, *e.ranks, [&] { e.product->refresh_and_multiply(); });
  check_product(e, "after a refresh", 2);
  // A product more or less is noise beside a build; below 0 is noise, too.
  s.build   = std::max(0.0, first - s.product);
  s.refresh = std::max(0.0, refreshed - s.product);
  return s;
}

} // namespace petscspmv::bench
