#pragma once

/// \file counted_codings.hpp
/// How many pieces have which coding, as a device's facts say it.

#include <array>
#include <string>

#include "kernels/value_coding.hpp"

namespace petscspmv::kernels {

/// "7 (values: raw 5, table of 256 2)", codings in their order; "0" if there are no pieces. Each piece has a `coding`.
template <class Pieces> std::string counted_codings(const Pieces &pieces)
{
  std::array<std::size_t, codings> times{};
  for (const auto &piece : pieces) ++times[piece.coding];
  std::string text = std::to_string(pieces.size()), separator = " (values: ";
  for (std::size_t c = 0; c < times.size(); ++c)
    if (times[c] > 0) {
      text += separator + std::string(coding_names[c]) + " " + std::to_string(times[c]);
      separator = ", ";
    }
  return pieces.empty() ? text : text + ")";
}

} // namespace petscspmv::kernels
