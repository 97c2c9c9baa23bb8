#pragma once

/// \file cache_lines.hpp
/// Which entries of x a cache would not have.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace petscspmv {

/// A cache in which each line of x has one place: enough to see whether columns come back before others have taken
/// their place. It begins empty.
class CacheLines {
public:
  explicit CacheLines(std::int64_t lines) : held_(static_cast<std::size_t>(lines), -1) { }

  /// True if `line` was not there; then it is.
  bool misses(std::int64_t line) { return std::exchange(held_[static_cast<std::size_t>(line) % held_.size()], line) != line; }

private:
  std::vector<std::int64_t> held_;
};

} // namespace petscspmv
