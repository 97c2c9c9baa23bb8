#include "select/duel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "select/search_tuning.hpp"

namespace petscspmv::select {

void Turns::settle(int slot)
{
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0, since = 0; k < tuning::most_settling && since < tuning::settling; ++k, ++since) {
    const double product = timed(slot);
    if (product < (1 - tuning::settles) * best) since = -1;
    best = std::min(best, product);
  }
  last_ = slot;
}

double Turns::turn(int slot)
{
  if (slot != last_)
    for (int k = 0; k < tuning::warming; ++k) bench_.multiply(slot);
  last_ = slot;
  std::array<double, tuning::timed> times;
  for (double &t : times) t = timed(slot);
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

/// Seconds of a product. Short ones are done several times, for the clock's sake.
double Turns::timed(int slot)
{
  const double begin = bench_.now();
  bench_.multiply(slot);
  const double one = bench_.now() - begin;
  if (one >= tuning::least_seconds) return one;
  const int times =
    tuning::least_seconds < tuning::most_times * one ? static_cast<int>(std::ceil(tuning::least_seconds / one)) : tuning::most_times;
  for (int k = 1; k < times; ++k) bench_.multiply(slot);
  return (bench_.now() - begin) / times;
}

double Ratios::median() const
{
  std::vector<double> sorted = ratios_;
  std::sort(sorted.begin(), sorted.end());
  return (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
}

bool Ratios::is_clear(double limit) const
{
  const double middle = median();
  double       spread = 0;
  for (const double r : ratios_) spread += std::abs(r - middle) / double(ratios_.size());
  return std::abs(middle - limit) * std::sqrt(double(ratios_.size())) > tuning::doubt * (spread + tuning::least_spread * limit);
}

} // namespace petscspmv::select
