#pragma once

#include <chrono>

namespace petscspmv::select {

/// Seconds since some moment.
inline double steady_clock()
{
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace petscspmv::select
