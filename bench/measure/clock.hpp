#pragma once

/// \file clock.hpp
/// Where times come from; tests put in a clock of their own.

#include <chrono>
#include <string>

namespace petscspmv::bench {

class Clock {
public:
  virtual ~Clock() = default;

  /// Seconds since some moment; never goes back.
  virtual double now() = 0;

  /// The date and time for records, in UTC: "2026-01-31T12:00:00Z".
  virtual std::string date() = 0;
};

class SteadyClock final : public Clock {
public:
  double      now() override { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
  std::string date() override;
};

} // namespace petscspmv::bench
