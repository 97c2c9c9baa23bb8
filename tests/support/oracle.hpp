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

template <class Scalar, class Index>
Reference reference_product(const CsrView<Scalar, Index> &a, Operation op, const std::vector<Scalar> &x)
{
  const auto               n = static_cast<std::size_t>(op == Operation::none ? a.rows : a.cols);
  Reference                ref{std::vector<Extended>(n), std::vector<long double>(n), std::vector<long double>(n)};
  std::vector<long double> size(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) size[i] = std::abs(extended(x[i]));
  for (Index r = 0; r < a.rows; ++r)
    for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k) {
      const auto     to   = static_cast<std::size_t>(op == Operation::none ? r : a.col[k]);
      const auto     from = static_cast<std::size_t>(op == Operation::none ? a.col[k] : r);
      const Extended v    = op == Operation::hermitian ? std::conj(extended(a.val[k])) : extended(a.val[k]);
      ref.sum[to] += times(v, extended(x[from]));
      ref.weight[to] += std::abs(v) * size[from];
      ref.count[to] += 1;
    }
  return ref;
}

} // namespace petscspmv::test
