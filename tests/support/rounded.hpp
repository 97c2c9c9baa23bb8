#pragma once

/// \file rounded.hpp
/// What the option `precision` leaves of values, as a program would do it by hand.

#include <complex>

#include "csr_matrix.hpp"

namespace petscspmv::test {

/// Through memory.
inline double rounded(double v)
{
  const volatile auto f = static_cast<float>(v);
  return f;
}
inline std::complex<double> rounded(std::complex<double> v)
{
  return {rounded(v.real()), rounded(v.imag())};
}
template <class Scalar, class Index> CsrMatrix<Scalar, Index> rounded(CsrMatrix<Scalar, Index> a)
{
  for (Scalar &v : a.val) v = rounded(v);
  return a;
}

} // namespace petscspmv::test
