#pragma once

/// \file kokkos_values.hpp
/// Values in fewer bytes, bit for bit, for kernels through Kokkos: the codings of value_coding.hpp that one small
/// function decodes.

#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/kokkos_kernel.hpp"

namespace petscspmv::kernels {

/// Values as they are, or a byte each, which is the place in a table.
template <class S, class Memory> struct KokkosValues {
  KokkosArray<S, Memory>            number; ///< the values, or the table
  KokkosArray<std::uint8_t, Memory> code;   ///< none if values are as they are

  /// The decoder.
  KOKKOS_FUNCTION S operator()(std::int64_t i) const { return is_coded() ? number(code(i)) : number(i); }

  std::string coding() const { return is_coded() ? "table of 256" : "raw"; }

  /// By the extent: an array without elements has an address on a device.
  KOKKOS_FUNCTION bool is_coded() const { return code.extent(0) > 0; }
};

template <class S> bool same_bits(const S &a, const S &b)
{
  return std::memcmp(&a, &b, sizeof(S)) == 0;
}

/// Codes values, in a table if there are few enough different ones and `may_code`.
template <class S> KokkosValues<S, Kokkos::HostSpace> coded_values(const std::vector<S> &values, bool may_code)
{
  constexpr std::size_t                         most = 256;
  std::unordered_map<std::string, std::uint8_t> place;
  std::vector<S>                                table;
  std::vector<std::uint8_t>                     code;
  if (may_code && !values.empty()) {
    code.reserve(values.size());
    for (const S &v : values) {
      if (!code.empty() && same_bits(v, table[code.back()])) {
        code.push_back(code.back());
        continue;
      }
      const auto [found, is_new] =
        place.try_emplace(std::string(reinterpret_cast<const char *>(&v), sizeof v), static_cast<std::uint8_t>(table.size()));
      if (is_new && table.size() == most) return {host_array(values), {}};
      if (is_new) table.push_back(v);
      code.push_back(found->second);
    }
    return {host_array(table), host_array(code)};
  }
  return {host_array(values), {}};
}

} // namespace petscspmv::kernels
