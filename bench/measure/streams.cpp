#include "measure/streams.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>

namespace petscspmv::bench {

namespace {

constexpr int kPasses = 10;

/// Sixteen sums side by side: with one, the latency of additions would be measured, not the memory.
constexpr std::int64_t kLanes = 16;

double read_all(std::span<const double> a, int threads)
{
  const std::int64_t blocks = std::int64_t(a.size()) / kLanes;
  double             sum    = 0; // keeps the compiler from leaving the reading out
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
    std::array<double, kLanes> lane{};
#pragma omp for schedule(static)
    for (std::int64_t block = 0; block < blocks; ++block)
      for (std::int64_t k = 0; k < kLanes; ++k) lane[std::size_t(k)] += a[std::size_t(block * kLanes + k)];
    for (double l : lane) sum += l;
  }
  return sum;
}

void copy_all(const std::vector<double> &a, std::vector<double> &b, int threads)
{
  const auto n = std::int64_t(a.size());
#pragma omp parallel for simd num_threads(threads) schedule(static)
  for (std::int64_t i = 0; i < n; ++i) b[std::size_t(i)] = a[std::size_t(i)];
}

/// The least time of a pass that all ranks make at once: a roofline is a ceiling, and what disturbs a pass only makes
/// it slower.
template <class Pass> double least_time(Clock &clock, Ranks &ranks, Pass &&pass)
{
  double least = std::numeric_limits<double>::infinity();
  pass(); // the first touches the pages
  for (int k = 0; k < kPasses; ++k) {
    ranks.barrier();
    const double begin = clock.now();
    pass();
    least = std::min(least, ranks.max(clock.now() - begin));
  }
  return least;
}

} // namespace

Bandwidth measure_bandwidth(Clock &clock, Ranks &ranks, int threads, std::int64_t cache_bytes)
{
  const auto          n = std::size_t(std::max<std::int64_t>(4 * cache_bytes / ranks.size(), 1 << 20)) / sizeof(double);
  std::vector<double> a(n, 1.0), b(n, 0.0);
  double              kept       = 0;
  const double        read_time  = least_time(clock, ranks, [&] { kept += read_all(a, threads); });
  const double        copy_time  = least_time(clock, ranks, [&] { copy_all(a, b, threads); });
  const double        bytes      = double(n * sizeof(double)) * ranks.size();
  const double        impossible = kept < 0 ? 1 : 0; // makes `kept` count
  return {bytes / (read_time + impossible), 2 * bytes / (copy_time + impossible)};
}

std::int64_t CacheFlush::run(int ranks, int threads)
{
  const auto share = std::size_t(bytes_ / ranks) / sizeof(double) + 1;
  if (buffer_.size() < share) buffer_.assign(share, 1.0);
  buffer_[0] = read_all(std::span(buffer_).first(share), threads) > 0 ? 1 : 2;
  return std::int64_t(share * sizeof(double));
}

} // namespace petscspmv::bench
