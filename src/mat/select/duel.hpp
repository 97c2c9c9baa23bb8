#pragma once

/// \file duel.hpp
/// How many times as long as another candidate one takes, on a machine that is now fast and now slow.

#include <cstddef>
#include <vector>

#include "select/search.hpp"

namespace petscspmv::select {

/// Turns of two candidates that stand in a bench's slots.
class Turns {
public:
  explicit Turns(Workbench &bench) : bench_(bench) { }

  /// The first products after a build, which do not count.
  void settle(int slot);

  /// Seconds of a product that follows others of the same: the median of a few. Products after one of the other slot
  /// come first and do not count: they bring back to caches and branches what the other's turn has taken from there.
  double turn(int slot);

private:
  double timed(int slot);

  Workbench &bench_;
  int        last_ = -1;
};

/// What pairs of turns have shown, one right after the other, so that a slow moment of the machine hits both or spoils
/// one of several.
class Ratios {
public:
  void        add(double ratio) { ratios_.push_back(ratio); }
  std::size_t pairs() const { return ratios_.size(); }

  /// There is at least one.
  double median() const;

  /// True if the true ratio is not likely to be on the other side of `limit`.
  bool is_clear(double limit) const;

private:
  std::vector<double> ratios_;
};

} // namespace petscspmv::select
