#pragma once

/// \file streams.hpp
/// Large arrays that are read or copied from end to end: to measure memory, and to empty the caches.

#include <cstdint>
#include <vector>

#include "measure/clock.hpp"
#include "measure/ranks.hpp"

namespace petscspmv::bench {

/// Bytes a second, all ranks together.
struct Bandwidth {
  double read = 0;
  double copy = 0; ///< bytes read plus bytes written, as STREAM counts
};

/// The best of a few passes over arrays of four times the cache, with `threads` threads on each rank.
Bandwidth measure_bandwidth(Clock &clock, Ranks &ranks, int threads, std::int64_t cache_bytes);

/// Pushes everything else out of the caches by reading, which leaves no dirty lines that a measured product would have
/// to write back.
class CacheFlush {
public:
  /// `bytes` in all; they are allocated at the first use.
  explicit CacheFlush(std::int64_t bytes) : bytes_(bytes) { }

  /// Each of the ranks that share the caches reads its part of the bytes. Returns how many that are.
  std::int64_t run(int ranks, int threads);

private:
  std::int64_t        bytes_;
  std::vector<double> buffer_;
};

} // namespace petscspmv::bench
