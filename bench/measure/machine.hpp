#pragma once

/// \file machine.hpp
/// The machine that a run is on.

#include <cstdint>
#include <string>

namespace petscspmv::bench {

struct Machine {
  std::string  cpu;
  int          cores       = 0; ///< that this process may run on
  std::int64_t cache_bytes = 0; ///< the last level
  std::int64_t memory      = 0;
  std::string  system;
};

/// Asks the operating system (Linux: /proc and /sys). What it does not tell is left empty; the cache is then taken as
/// 32 MiB.
Machine this_machine();

/// The number of cores that this process may run on now; less than the machine's if something bound it.
int allowed_cores();

} // namespace petscspmv::bench
