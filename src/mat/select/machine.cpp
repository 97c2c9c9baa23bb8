#include "select/machine.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <new>
#include <vector>

namespace petscspmv::select {

namespace {

std::string find_processor()
{
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

/// Sums that do not wait for one another.
std::uint64_t read(const std::vector<std::uint64_t> &numbers)
{
  std::uint64_t sum[8]{};
  for (std::size_t k = 0; k + 8 <= numbers.size(); k += 8)
    for (std::size_t l = 0; l < 8; ++l) sum[l] += numbers[k + l];
  std::uint64_t all = 0;
  for (const std::uint64_t s : sum) all += s;
  return all;
}

double measure_bandwidth()
{
  constexpr std::size_t bytes = std::size_t(96) << 20; // three times the largest cache of the machine that the model is of
  try {
    const std::vector<std::uint64_t> numbers(bytes / sizeof(std::uint64_t), 1);
    double                           least = std::numeric_limits<double>::infinity();
    volatile std::uint64_t           sink  = 0;
    for (int pass = 0; pass < 3; ++pass) {
      const double begin = steady_clock();
      sink               = read(numbers);
      least              = std::min(least, steady_clock() - begin);
    }
    static_cast<void>(sink);
    return double(bytes) / least;
  } catch (const std::bad_alloc &) {
    return 0;
  }
}

} // namespace

double steady_clock()
{
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

const std::string &processor()
{
  static const auto &name = *new std::string(find_processor());
  return name;
}

double memory_bandwidth()
{
  static const double bandwidth = measure_bandwidth();
  return bandwidth;
}

} // namespace petscspmv::select
