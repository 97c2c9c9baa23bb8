#pragma once

/// \file precision.hpp
/// The option by which what a format keeps of a matrix may lose bits.

#include <array>
#include <string_view>

#include "core/options.hpp"

namespace petscspmv {

inline constexpr std::array<std::string_view, 2> precisions{"double", "single"};
/// The relative error of a value, at most.
inline constexpr std::array<double, 2> precision_errors{0, 0x1p-24};

/// Users set it for all types at once (-mat_spmv_precision).
inline constexpr OptionSpec precision_option = internal(
  {"precision", 0, 0, std::ssize(precisions) - 1,
   "Values of the copy that ccoo and auto make of a matrix that only preconditions: as they are, or rounded to single precision where "
   "no lossless coding takes fewer bytes. Not without the prefix of the matrix",
   precisions});

/// Whether an option makes results less exact, so that nobody but the user sets it.
constexpr bool loses_bits(const OptionSpec &spec)
{
  return spec.key == precision_option.key;
}

} // namespace petscspmv
