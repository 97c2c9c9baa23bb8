#pragma once

/// \file options.hpp
/// The options of formats that code values, and what they ask of a coding.

#include "core/precision.hpp"
#include "kernels/coding/values.hpp"

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

/// What may be chosen.
struct CodingRules {
  bool         automatic = true; ///< the cheapest; else `wanted` where the values allow it, and raw where not
  Coding       wanted    = plain_coding;
  std::int64_t largest   = 65536;        ///< entries of a table at most
  std::int64_t limit     = 65536;        ///< table_limit() of a coding at most: others are not chosen
  Coding       losing    = plain_coding; ///< what may be chosen in the place of raw
  /// Predicted nanoseconds of a value: decoding by coding, and of a byte that is read.
  CodingCosts decode = no_costs;
  double      byte   = 0;

  template <class Scalar> double cost(Coding c, std::size_t n) const
  {
    return static_cast<double>(n) * decode[c] + static_cast<double>(coded_bytes<Scalar>(c, n)) * byte;
  }
};

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
