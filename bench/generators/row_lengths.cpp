#include "generators/row_lengths.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace petscspmv::bench {

namespace {

/// A row this many deviations above the mean is one of a tail, not of the bulk.
constexpr double kTailBegins = 6;

/// The two parameters of a beta distribution on [low, high], by its first two moments.
struct Beta {
  double a, b;
};

Beta beta_for(double low, double high, double mean, double deviation)
{
  const double range  = std::max(high - low, 1e-9);
  const double m      = std::clamp((mean - low) / range, 1e-6, 1 - 1e-6);
  const double v      = std::max(deviation * deviation / (range * range), 1e-12);
  const double weight = std::max(m * (1 - m) / v - 1, 0.05);
  return {m * weight, (1 - m) * weight};
}

/// Gamma distribution of shape a > 0 and scale 1.
/// G. Marsaglia, W. Tsang: A simple method for generating gamma variables. ACM TOMS 26 (2000).
double gamma_variable(double a, Random &random)
{
  if (a < 1) return gamma_variable(a + 1, random) * std::pow(1 - random.uniform(), 1 / a);
  const double d = a - 1.0 / 3.0, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = random.normal(), t = 1 + c * x;
    if (t <= 0) continue;
    const double v = t * t * t;
    if (std::log(1 - random.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

/// Lengths in [low, high] with the mean and deviation.
void fill_bounded(double low, double high, double mean, double deviation, Random &random, std::span<std::int64_t> lengths)
{
  // Rounding at random keeps the mean and adds a variance of 1/6.
  const double drawn = std::sqrt(std::max(0.0, deviation * deviation - 1.0 / 6));
  const Beta   beta  = beta_for(low, high, mean, drawn);
  for (std::int64_t &length : lengths) {
    double l = mean;
    if (drawn > 0) {
      const double a = gamma_variable(beta.a, random), b = gamma_variable(beta.b, random);
      l = low + (high - low) * a / (a + b);
    }
    length = std::int64_t(std::floor(l + random.uniform()));
  }
}

double square_sum(const std::vector<std::int64_t> &lengths, double mean)
{
  double sum = 0;
  for (std::int64_t l : lengths) sum += (double(l) - mean) * (double(l) - mean);
  return sum;
}

double plain_sum(const std::vector<std::int64_t> &lengths)
{
  return std::accumulate(lengths.begin(), lengths.end(), 0.0);
}

/// Lengths longest * (1 + k / scale)^-3 for k = 0, 1, ..., as long as they exceed `shortest`: Lomax's law. The cube
/// keeps the share of the nonzeros in the tail small for the deviation it gives; a slower fall would need more than
/// some of the twins have.
std::vector<std::int64_t> lomax_tail(double longest, double scale, double shortest, std::size_t most_rows)
{
  std::vector<std::int64_t> tail;
  for (std::size_t k = 0; k < most_rows; ++k) {
    const double length = longest * std::pow(1 + double(k) / scale, -3);
    if (length < shortest) break;
    tail.push_back(std::int64_t(length));
  }
  return tail;
}

/// The tail that gives the deviation.
std::vector<std::int64_t> tail_for(const RowLengthTarget &t, double bulk_deviation)
{
  const double wanted   = double(t.rows) * (t.deviation * t.deviation - bulk_deviation * bulk_deviation);
  const double shortest = t.mean + 3 * bulk_deviation + 1;
  double       least = 1e-3, most = double(t.rows);
  for (int step = 0; step < 60; ++step) {
    const double middle   = std::sqrt(least * most);
    const auto   tail     = lomax_tail(double(t.longest), middle, shortest, std::size_t(t.rows / 2));
    const bool   much     = square_sum(tail, t.mean) > wanted || plain_sum(tail) > 0.7 * double(t.rows) * t.mean;
    (much ? most : least) = middle;
  }
  return lomax_tail(double(t.longest), least, shortest, std::size_t(t.rows / 2));
}

/// Adds or takes single nonzeros at random rows until the sum is right.
void correct_sum(std::vector<std::int64_t> &lengths, const RowLengthTarget &t, Random &random)
{
  std::int64_t missing = std::llround(double(t.rows) * t.mean) - std::accumulate(lengths.begin(), lengths.end(), std::int64_t(0));
  // Rows that may not change are skipped, so give up when there is surely no room left.
  for (std::int64_t tries = 0; missing != 0 && tries < 100 * (std::abs(missing) + t.rows); ++tries) {
    std::int64_t &length = lengths[std::size_t(random.below(t.rows))];
    if (missing > 0 && length < t.longest) {
      ++length;
      --missing;
    } else if (missing < 0 && length > 1 && length < t.longest) {
      --length;
      ++missing;
    }
  }
}

} // namespace

std::vector<std::int64_t> draw_row_lengths(const RowLengthTarget &target, Random &random)
{
  RowLengthTarget t = target;
  t.longest         = std::min(t.longest, t.most);
  std::vector<std::int64_t> lengths(std::size_t(t.rows), 0);
  if (t.rows == 0) return lengths;

  std::vector<std::int64_t> tail           = {t.longest};
  double                    bulk_deviation = t.deviation, high = double(t.longest);
  const bool                has_tail = double(t.longest) > t.mean + kTailBegins * t.deviation;
  if (has_tail && beta_for(1, high, t.mean, t.deviation).a < 1) { // else one hump can do it
    bulk_deviation = std::min(0.6 * t.deviation, 0.5 * t.mean);
    tail           = tail_for(t, bulk_deviation);
    high           = std::min(high, t.mean + 3 * bulk_deviation + 2);
  }
  const auto   bulk      = std::span(lengths).subspan(tail.size());
  const double bulk_mean = bulk.empty() ? 0 : std::max(0.0, (double(t.rows) * t.mean - plain_sum(tail)) / double(bulk.size()));
  const double low       = bulk_mean >= 1 ? 1 : 0;
  std::copy(tail.begin(), tail.end(), lengths.begin());
  fill_bounded(low, std::max(high, low), bulk_mean, bulk_deviation, random, bulk);
  for (std::int64_t &l : lengths) l = std::clamp<std::int64_t>(l, 0, t.longest);
  correct_sum(lengths, t, random);
  for (std::size_t k = lengths.size(); k > 1; --k) std::swap(lengths[k - 1], lengths[std::size_t(random.below(std::int64_t(k)))]);
  return lengths;
}

} // namespace petscspmv::bench
