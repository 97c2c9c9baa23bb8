#pragma once

/// \file rounded.hpp
/// What the option `precision` leaves of values, as a program would do it by hand.

#include <cmath>
#include <complex>
#include <cstdint>

#include "csr_matrix.hpp"

namespace petscspmv::test {

/// Values of the option.
inline constexpr std::int64_t double_precision = 0, single_precision = 1, half_precision = 2;

/// Through memory.
inline double rounded(double v, std::int64_t precision = single_precision)
{
  volatile auto f = static_cast<float>(v);
  if (precision == single_precision || !std::isfinite(v)) return f;
  int          exponent;
  const double mantissa = std::frexp(f, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, 8)), exponent - 8);
}
inline std::complex<double> rounded(std::complex<double> v, std::int64_t precision = single_precision)
{
  return {rounded(v.real(), precision), rounded(v.imag(), precision)};
}
template <class Scalar, class Index> CsrMatrix<Scalar, Index> rounded(CsrMatrix<Scalar, Index> a, std::int64_t precision = single_precision)
{
  for (Scalar &v : a.val) v = rounded(v, precision);
  return a;
}

} // namespace petscspmv::test
