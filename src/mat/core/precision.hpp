#pragma once

/// \file precision.hpp
/// The option by which what a format keeps of a matrix may lose bits.

#include "core/options.hpp"

namespace petscspmv {

enum class Precision { full, single };
inline constexpr auto precision_names = names<Precision>({{Precision::full, "double"}, {Precision::single, "single"}});
/// The relative error of a value, at most.
inline constexpr auto precision_errors = per_value<Precision, double>({{Precision::full, 0}, {Precision::single, 0x1p-24}});

/// Users set it for all types at once (-mat_spmv_precision).
inline constexpr auto precision_option = internal(
  Choice("precision", precision_names, Precision::full,
         "Values of the copy that ccoo and auto make of a matrix that only preconditions: as they are, or rounded to single precision "
         "where no lossless coding takes fewer bytes. Not without the prefix of the matrix"));

/// Whether an option makes results less exact, so that nobody but the user sets it.
constexpr bool loses_bits(const OptionSpec &spec)
{
  return spec.key == precision_option.key;
}

} // namespace petscspmv
