#pragma once

/// \file counted.hpp
/// How many pieces are of which kind, as facts say it.

#include <array>
#include <string>
#include <string_view>

#include "kernels/coding/values.hpp"

namespace petscspmv::kernels {

/// "raw 5, table of 256 2": how many pieces have each of the names, in the order of the names; number_of(piece) says
/// which one, or -1 for none of them. "none" if no piece has one.
template <class Pieces, std::size_t names, class NumberOf>
std::string counted(const Pieces &pieces, const std::array<std::string_view, names> &name, const NumberOf &number_of)
{
  std::array<std::size_t, names> times{};
  for (const auto &piece : pieces)
    if (const int k = number_of(piece); k >= 0) ++times[static_cast<std::size_t>(k)];
  std::string text;
  for (std::size_t k = 0; k < names; ++k)
    if (times[k] > 0) text += (text.empty() ? "" : ", ") + std::string(name[k]) + " " + std::to_string(times[k]);
  return text.empty() ? "none" : text;
}

/// "7 (values: raw 5, table of 256 2)" of n pieces; "7" if `values` are none.
inline std::string counted_with(std::size_t n, const std::string &values)
{
  return std::to_string(n) + (values == "none" ? "" : " (values: " + values + ")");
}

/// The same of pieces that have a `coding`.
template <class Pieces> std::string counted_codings(const Pieces &pieces)
{
  return counted_with(pieces.size(),
                      counted(pieces, coding_names, [](const auto &piece) { return static_cast<int>(number_of(piece.coding)); }));
}

} // namespace petscspmv::kernels
