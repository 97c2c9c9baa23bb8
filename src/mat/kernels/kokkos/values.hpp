#pragma once

/// \file values.hpp
/// Values in fewer bytes for kernels through Kokkos: the codings of coding/values.hpp that one small function decodes.

#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/coding/tables.hpp"
#include "kernels/kokkos/kernel.hpp"

namespace petscspmv::kernels {

template <class S> struct KokkosFloat {
  using type = float;
};
template <> struct KokkosFloat<Kokkos::complex<double>> {
  using type = Kokkos::complex<float>;
};

/// Values as they are, or a byte each, which is the place in a table, or rounded.
template <class S, class Memory> struct KokkosValues {
  KokkosArray<S, Memory>            number; ///< the values, or the table
  KokkosArray<std::uint8_t, Memory> code;   ///< none if values have none

  KokkosArray<typename KokkosFloat<S>::type, Memory> rounded; ///< none if values are not

  /// The decoder.
  KOKKOS_FUNCTION S operator()(std::int64_t i) const
  {
    return is_coded() ? number(code(i)) : rounded.extent(0) > 0 ? S(rounded(i)) : number(i);
  }

  std::string coding() const { return is_coded() ? "table of 256" : rounded.extent(0) > 0 ? "rounded to fp32" : "raw"; }

  /// By the extent: an array without elements has an address on a device.
  KOKKOS_FUNCTION bool is_coded() const { return code.extent(0) > 0; }
};

/// The scalar as the standard library has it.
inline double as_std(double v)
{
  return v;
}
inline std::complex<double> as_std(Kokkos::complex<double> v)
{
  return {v.real(), v.imag()};
}

inline bool same_bits(Kokkos::complex<double> a, Kokkos::complex<double> b)
{
  return same_bits(as_std(a), as_std(b));
}

/// Values rounded, if `rounds` and all are in the range of floats, else as they are.
template <class Values> KokkosValues<typename Values::value_type, Kokkos::HostSpace> uncoded_values(const Values &values, bool rounds)
{
  using S             = typename Values::value_type;
  using Scalar        = decltype(as_std(S()));
  const auto *const v = reinterpret_cast<const Scalar *>(values.data());
  if (!rounds || values.empty() || !keeps_all<Coding::rounded>(std::span<const Scalar>(v, values.size())))
    return {host_array(values), {}, {}};
  return {{}, {}, host_array(std::vector<typename KokkosFloat<S>::type>(values.begin(), values.end()))};
}

/// Codes values, in a table if there are few enough different ones and `may_code`.
template <class Values>
KokkosValues<typename Values::value_type, Kokkos::HostSpace> coded_values(const Values &values, bool may_code, bool rounds = false)
{
  using S                                    = typename Values::value_type;
  constexpr std::int64_t                most = 256;
  DistinctValues<decltype(as_std(S()))> distinct;
  std::vector<std::uint8_t>             code;
  if (!may_code || values.empty()) return uncoded_values(values, rounds);
  code.reserve(values.size());
  for (const S &v : values) {
    const std::int64_t number = distinct.add(as_std(v));
    if (number == most) return uncoded_values(values, rounds);
    code.push_back(static_cast<std::uint8_t>(number));
  }
  return {host_array(std::vector<S>(distinct.values().begin(), distinct.values().end())), host_array(code), {}};
}

} // namespace petscspmv::kernels
