#pragma once

/// \file precision.hpp
/// The option by which what a format keeps of a matrix may lose bits.

#include <array>
#include <string_view>

#include "core/options.hpp"

namespace petscspmv {

inline constexpr std::array<std::string_view, 3> precisions{"double", "single", "half"};
/// The relative error of a value, at most. The upper half of a float is rounded twice.
inline constexpr std::array<double, 3> precision_errors{0, 0x1p-24, 0x1.0002p-8};

/// Users set it for all types at once (-mat_spmv_precision).
inline constexpr OptionSpec precision_option = internal(
  {"precision", 0, 0, std::ssize(precisions) - 1,
   "Values of the copy that ccoo and auto make of a matrix that only preconditions: as they are, or rounded to single precision, or to "
   "16 bits (bfloat16), where no lossless coding takes fewer bytes. Not without the prefix of the matrix",
   precisions});

/// Whether an option makes results less exact, so that nobody but the user sets it.
constexpr bool loses_bits(const OptionSpec &spec)
{
  return spec.key == precision_option.key;
}

} // namespace petscspmv
