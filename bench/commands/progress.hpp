#pragma once

/// \file progress.hpp
/// A line on stderr that says how far a run is.

#include <cstddef>
#include <string>

namespace petscspmv::bench {

class Progress {
public:
  /// Silent if `enabled` is false, and one plain line a step where stderr is no terminal.
  Progress(std::size_t steps, bool enabled);
  ~Progress() { clear(); }

  /// Begins the next step.
  void next(const std::string &what);

  /// Takes the bar away, before something else is printed.
  void clear();

private:
  std::size_t steps_, done_ = 0;
  bool        enabled_, terminal_, drawn_ = false;
};

} // namespace petscspmv::bench
