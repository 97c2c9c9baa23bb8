#pragma once

/// \file problem.hpp
/// A matrix with vectors and reference results: what a format is checked against.

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/matrices.hpp"
#include "support/oracle.hpp"
#include "support/tolerance.hpp"

namespace petscspmv::test {

inline constexpr Operation operations[] = {Operation::none, Operation::transpose, Operation::hermitian};

inline const char *name(Operation op)
{
  return op == Operation::none ? "N" : op == Operation::transpose ? "T" : "H";
}

template <class Scalar> std::vector<Scalar> make_vector(std::size_t n, unsigned seed, Mode mode)
{
  Random<Scalar>      random(seed);
  std::vector<Scalar> v(n);
  for (Scalar &e : v) e = mode == Mode::exact ? random.small_integer() : random.number();
  return v;
}

/// Compiled once, for each type of core/for_each_type.hpp.
template <class Scalar, class Index> struct Problem {
  using Vector = std::vector<Scalar>;

  /// One of the products.
  struct Case {
    Operation op;
    Vector    x;        ///< NaN wherever no entry of op(A) refers to it
    Vector    y_before; ///< to be added beta times
    Reference reference;
  };

  Mode                     mode;
  CsrMatrix<Scalar, Index> a;
  std::vector<Case>        cases;

  Problem(const NamedMatrix<Scalar, Index> &named, Mode m, unsigned seed = 1, std::span<const Operation> asked = operations)
    : Problem(named.pattern(), m, seed, asked, named.fixed_values)
  {
  }
  /// Of a matrix, with values of the mode's or, if they are fixed, its own.
  Problem(CsrMatrix<Scalar, Index> matrix, Mode m, unsigned seed = 1, std::span<const Operation> asked = operations,
          bool fixed_values = false);

  /// To be called after c.x has been changed.
  void refer(Case &c) const;

  /// y = alpha op(A) x + beta y_before, where y holds NaN before if beta is zero.
  template <class Format> static Vector multiply(Format &format, const Case &c, Scalar alpha, Scalar beta)
  {
    Vector y = c.y_before;
    if (beta == Scalar(0)) std::fill(y.begin(), y.end(), Scalar(std::numeric_limits<double>::quiet_NaN()));
    format.multiply(c.op, alpha, c.x.data(), beta, y.data());
    return y;
  }

  /// Empty if the product is right, else a line about what is wrong.
  template <class Format> std::string wrong(Format &format, const Case &c, Scalar alpha, Scalar beta) const
  {
    return wrong(multiply(format, c, alpha, beta), c, alpha, beta);
  }

private:
  std::string wrong(const Vector &y, const Case &c, Scalar alpha, Scalar beta) const;
  void        poison_unused(Operation op, Vector &x) const;
};

/// Without the transposed products.
template <class Scalar, class Index> struct PlainProblem : Problem<Scalar, Index> {
  static constexpr std::span<const Operation> asked{operations, 1};

  PlainProblem(const NamedMatrix<Scalar, Index> &named, Mode m, unsigned seed = 1) : Problem<Scalar, Index>(named, m, seed, asked) { }
  explicit PlainProblem(CsrMatrix<Scalar, Index> matrix, Mode m, unsigned seed = 1, bool fixed_values = false)
    : Problem<Scalar, Index>(std::move(matrix), m, seed, asked, fixed_values)
  {
  }
};

/// With the products that a format has.
template <class F>
using ProblemOf = std::conditional_t<F::transposes, Problem<typename F::scalar_type, typename F::index_type>,
                                     PlainProblem<typename F::scalar_type, typename F::index_type>>;

} // namespace petscspmv::test
