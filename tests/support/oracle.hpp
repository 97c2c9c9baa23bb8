#pragma once

/// \file oracle.hpp
/// The one reference of all tests: op(A) x in long double by the plainest loop.

#include <complex>
#include <cstddef>
#include <vector>

#include "core/csr_view.hpp"
#include "core/execution.hpp"
#include "support/csr_matrix.hpp"

namespace petscspmv::test {

using Extended = std::complex<long double>;

inline Extended extended(double a)
{
  return {a, 0};
}
inline Extended extended(std::complex<double> a)
{
  return {a.real(), a.imag()};
}

/// The product as it is written in textbooks; std::complex would recover infinities where the formats do not.
inline Extended times(Extended a, Extended b)
{
  if (a.imag() == 0 && b.imag() == 0) return {a.real() * b.real(), 0};
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// op(A) x, and what a bound on its error needs.
struct Reference {
  std::vector<Extended>    sum;    ///< op(A) x
  std::vector<long double> weight; ///< |op(A)| |x|
  std::vector<long double> count;  ///< entries of each row of op(A)
};

/// Compiled once, for each type of core/for_each_type.hpp.
template <class Scalar, class Index>
Reference reference_product(const CsrView<Scalar, Index> &a, Operation op, const std::vector<Scalar> &x);

} // namespace petscspmv::test
