#pragma once

/// \file tolerance.hpp
/// The one rule for how far a result may be from the oracle's.

#include <complex>
#include <cstring>
#include <string>
#include <vector>

#include "support/oracle.hpp"

namespace petscspmv::test {

enum class Mode {
  rounded, ///< |y - ref|_i <= eps ((n_i + 4) |alpha| (|A||x|)_i + 4 |beta y|_i), and as much again for complex numbers
  exact,   ///< equal; for small integers, where nothing is rounded
};

/// Empty if y is alpha op(A) x + beta y_before to within the rule; else a line about the first entry that is not.
/// y_before is not looked at where beta == 0, nor op(A) x where alpha == 0.
template <class Scalar>
std::string difference(const std::vector<Scalar> &y, const Reference &ref, Scalar alpha, Scalar beta, const std::vector<Scalar> &y_before,
                       Mode mode);

/// True if both hold the same bits.
template <class Scalar> bool same_bits(const std::vector<Scalar> &a, const std::vector<Scalar> &b)
{
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Scalar)) == 0);
}

} // namespace petscspmv::test
