#pragma once

/// \file scalar.hpp
/// Arithmetic on real and complex numbers, written so that every kernel rounds in the same places.

#include <complex>

namespace petscspmv::kernels {

template <class Scalar> inline constexpr bool is_complex                       = false;
template <> inline constexpr bool             is_complex<std::complex<double>> = true;

/// The product a b. For complex numbers the four products are taken as they are: no recovery of infinities as in the C
/// standard's Annex G, which costs a branch and a call for every entry.
[[gnu::always_inline]] inline double multiply(double a, double b)
{
  return a * b;
}
[[gnu::always_inline]] inline std::complex<double> multiply(std::complex<double> a, std::complex<double> b)
{
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

[[gnu::always_inline]] inline double conjugate(double a)
{
  return a;
}
[[gnu::always_inline]] inline std::complex<double> conjugate(std::complex<double> a)
{
  return {a.real(), -a.imag()};
}

} // namespace petscspmv::kernels
