#pragma once

/// \file automatic.hpp
/// The type that chooses by itself, as far as it can be told without PETSc: AIJ multiplies until products have paid for
/// ccoo (rental.hpp).

#include <array>
#include <string_view>

#include "core/precision.hpp"

namespace petscspmv::select::automatic {

inline constexpr std::string_view name   = "aijauto";
inline constexpr std::string_view method = "PETSc's own products, and ccoo once they have paid for the conversion";

enum class Moment { paid, first };
inline constexpr auto moments = names<Moment>({{Moment::paid, "paid"}, {Moment::first, "first"}});
inline constexpr Choice
                                           when_option("when", moments, Moment::paid,
                                                       "When the matrix goes on as ccoo: as products have paid for the conversion, or before the first product");
inline constexpr std::array<OptionSpec, 2> options{{when_option, precision_option}};

} // namespace petscspmv::select::automatic
