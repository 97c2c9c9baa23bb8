#pragma once

/// \file options.hpp
/// The options of formats that code values.

#include "core/precision.hpp"
#include "kernels/coding/tables.hpp"

namespace petscspmv::kernels {

inline constexpr Choice
  values_option("values", coding_choices, {},
                "Coding of values, bit for bit in any case; auto chooses for each tile, others hold where they can, with raw elsewhere");

/// What the option `precision` lets the values of a copy lose.
inline Coding losing_coding(const OptionValues &options)
{
  return options[precision_option] == Precision::single ? Coding::rounded : plain_coding;
}

/// Whether that option allows anything but values as they are.
inline bool may_code(const OptionValues &options)
{
  return options[values_option] != plain_coding;
}

/// Its default: half of the nearest cache.
inline constexpr OptionSpec table_option = internal({"table", 2048, 1, 65536, "Entries of a table of values, at most"});

/// What these options ask for, with the costs of coding_rules.decode and .byte.
inline CodingRules coding_rules(const OptionValues &options, const CodingCosts &decode, double byte)
{
  const std::optional<Coding> asked = options[values_option];
  CodingRules                 rules;
  rules.automatic = !asked;
  rules.wanted    = asked.value_or(plain_coding);
  rules.largest   = options[table_option.key];
  rules.decode    = decode;
  rules.byte      = byte;
  return rules;
}

} // namespace petscspmv::kernels
