#pragma once

/// \file machine.hpp
/// The machine that this process is on, as far as times depend on it.

#include <string>

namespace petscspmv::select {

/// "AMD EPYC 9R14", or "unknown processor". Looked up once.
const std::string &processor();

/// Bytes a second that one core reads from memory. Measured once, in some ten milliseconds; 0 if there is no memory to
/// measure with.
double memory_bandwidth();

/// Seconds since some moment.
double steady_clock();

} // namespace petscspmv::select
