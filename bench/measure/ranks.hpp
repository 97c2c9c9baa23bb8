#pragma once

/// \file ranks.hpp
/// The processes that measure together, without MPI in sight.

#include <cstdint>

#include "measure/clock.hpp"

namespace petscspmv::bench {

class Ranks {
public:
  virtual ~Ranks() = default;

  virtual int  rank() const = 0;
  virtual int  size() const = 0;
  virtual void barrier()    = 0;

  /// A barrier in which waiting costs no processor time, so that idle ranks do not disturb those that measure.
  virtual void barrier_asleep() = 0;

  virtual double       max(double value)       = 0;
  virtual std::int64_t sum(std::int64_t value) = 0;

  bool any(bool value) { return max(value ? 1.0 : 0.0) > 0; }
};

/// A process alone.
class OneRank final : public Ranks {
public:
  int          rank() const override { return 0; }
  int          size() const override { return 1; }
  void         barrier() override { }
  void         barrier_asleep() override { }
  double       max(double value) override { return value; }
  std::int64_t sum(std::int64_t value) override { return value; }
};

/// Seconds that `work` takes on the slowest of the ranks, which begin together.
template <class Work> double timed(Clock &clock, Ranks &ranks, Work &&work)
{
  ranks.barrier();
  const double begin = clock.now();
  work();
  return ranks.max(clock.now() - begin);
}

} // namespace petscspmv::bench
