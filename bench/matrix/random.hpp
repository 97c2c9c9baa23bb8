#pragma once

/// \file random.hpp
/// Random numbers that are the same on every machine and with every compiler, unlike the distributions of <random>.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace petscspmv::bench {

/// The finaliser of splitmix64: a good 64-bit hash of a 64-bit number.
/// G. Steele, D. Lea, C. Flood: Fast splittable pseudorandom number generators. OOPSLA 2014.
constexpr std::uint64_t hash64(std::uint64_t z)
{
  z += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

constexpr std::uint64_t hash64(std::uint64_t a, std::uint64_t b)
{
  return hash64(hash64(a) ^ b);
}

/// A number in [0, 1) from 64 random bits.
constexpr double unit_interval(std::uint64_t bits)
{
  return double(bits >> 11) * 0x1p-53;
}

/// splitmix64 as a stream of numbers.
class Random {
public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : state_(hash64(seed, stream)) { }

  std::uint64_t next()
  {
    const std::uint64_t z = hash64(state_);
    state_ += 0x9e3779b97f4a7c15U;
    return z;
  }

  /// In [0, 1).
  double uniform() { return unit_interval(next()); }

  /// In [low, high).
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  /// In [0, n), n > 0. The bias, n / 2^53, is of no interest here.
  std::int64_t below(std::int64_t n) { return std::int64_t(uniform() * double(n)); }

  /// Standard normal, by Box and Muller.
  double normal()
  {
    const double u = 1.0 - uniform(), v = uniform();
    return std::sqrt(-2.0 * std::log(u)) * std::cos(6.283185307179586 * v);
  }

private:
  std::uint64_t state_;
};

/// 0 .. n - 1 in random order.
template <class Integer> std::vector<Integer> random_permutation(Integer n, Random &random)
{
  std::vector<Integer> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Integer(0));
  for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[std::size_t(random.below(std::int64_t(k)))]);
  return order;
}

} // namespace petscspmv::bench
