#pragma once

/// \file options.hpp
/// The options of formats that code values.

#include <array>
#include <string_view>

#include "core/options.hpp"
#include "kernels/coding/tables.hpp"

namespace petscspmv::kernels {

inline constexpr std::array coding_choices =
  std::to_array<std::string_view>({"auto", "constant", "table16", "table256", "table65536", "fp32", "raw"});
static_assert(coding_choices.size() == coding_count + 1);

inline constexpr OptionSpec values_option{
  "values",
  0,
  0,
  std::ssize(coding_choices) - 1,
  "Coding of values, bit for bit in any case; auto chooses for each tile, others hold where they can, with raw elsewhere",
  coding_choices};

/// The value of that option that asks for a coding.
constexpr std::int64_t choice_of(Coding c)
{
  return static_cast<std::int64_t>(c) + 1;
}

/// Its default: half of the nearest cache.
inline constexpr OptionSpec table_option = internal({"table", 2048, 1, 65536, "Entries of a table of values, at most"});

/// What these options ask for, with the costs of coding_rules.decode and .byte.
inline CodingRules coding_rules(const OptionValues &options, const CodingCosts &decode, double byte)
{
  CodingRules rules;
  rules.automatic = options["values"] == 0;
  if (!rules.automatic) rules.wanted = static_cast<Coding>(options["values"] - 1);
  rules.largest = options["table"];
  rules.decode  = decode;
  rules.byte    = byte;
  return rules;
}

} // namespace petscspmv::kernels
