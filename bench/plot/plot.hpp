#pragma once

/// \file plot.hpp

#include <string_view>

namespace petscspmv::bench {

/// The Python program that draws: plot/plot.py, put into the binary by the build.
extern const std::string_view kPlotProgram;

} // namespace petscspmv::bench
