#pragma once

/// \file options.hpp
/// The options of formats that code values.

#include "core/precision.hpp"
#include "kernels/coding/tables.hpp"

namespace petscspmv::kernels {

inline constexpr OptionSpec values_option{
  "values",
  0,
  0,
  std::ssize(coding_choices) - 1,
  "Coding of values, bit for bit in any case; auto chooses for each tile, others hold where they can, with raw elsewhere",
  coding_choices};

/// What the option `precision` lets the values of a copy lose.
inline Coding losing_coding(const OptionValues &options)
{
  return static_cast<Coding>(static_cast<std::int64_t>(plain_coding) + options["precision"]);
}

/// Whether that option allows anything but values as they are.
inline bool may_code(const OptionValues &options)
{
  return options["values"] != static_cast<std::int64_t>(plain_coding) + 1;
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
