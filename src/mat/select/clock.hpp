#pragma once

#include <chrono>

namespace petscspmv::select {

/// Seconds since some moment.
inline double steady_clock()
{
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds on the clock by which auto chooses. A test of the glue has one of its own.
inline double (*now)() = steady_clock;

} // namespace petscspmv::select
