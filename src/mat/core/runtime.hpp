#pragma once

/// \file runtime.hpp
/// The parallel runtime (Kokkos) as those see it who must not see Kokkos. Defined in kernels/runtime.cpp.

#include <string>

namespace petscspmv::runtime {

/// Starts Kokkos at the first call, and never before: a process that uses no type of ours pays nothing.
///
/// `threads` is the number of host threads that Kokkos may use; it counts at the first call only, and a Kokkos that
/// somebody else has started is used as it is. Kokkos cannot be started twice in a process, so ours ends with the process.
/// Throws std::runtime_error if Kokkos cannot start.
void start(int threads);

/// The number of host threads that a format may ask for: at least 1.
int max_threads();

/// One line for reports: the version of Kokkos and its backends.
std::string description();

} // namespace petscspmv::runtime
