#pragma once

/// \file columns.hpp
/// Products with several vectors at once, and what they are checked against.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/problem.hpp"

namespace petscspmv::test {

/// X and Y with columns of their own.
template <class Scalar, class Index> struct Columns {
  using Vector = std::vector<Scalar>;
  using Case   = typename test::Problem<Scalar, Index>::Case;

  static constexpr double nan     = std::numeric_limits<double>::quiet_NaN();
  static constexpr int    between = 3; ///< entries between columns

  Operation         op;
  std::vector<Case> column;
  std::int64_t      ldx, ldy;

  Columns(const test::Problem<Scalar, Index> &problem, int n, Mode mode, Operation operation = Operation::none) : op(operation)
  {
    const Case &given = *std::find_if(problem.cases.begin(), problem.cases.end(), [this](const Case &c) { return c.op == op; });
    ldx               = std::ssize(given.x) + between;
    ldy               = std::ssize(given.y_before) + between;
    for (int c = 0; c < n; ++c) {
      Case &one = column.emplace_back(given);
      for (Scalar &v : one.x)
        if (v == v) // NOLINT(misc-redundant-expression): NaN stays
          v = mode == Mode::exact ? v * Scalar(c % 3 - 1.0) : v * Scalar(1.0 / (c + 1));
      for (Scalar &v : one.y_before) v = mode == Mode::exact ? v + Scalar(c) : v * Scalar(1.0 / (c + 1)); // as large as A x
      problem.refer(one);
    }
  }

  /// Y = alpha op(A) X + beta Y. NaN is wherever nothing may be read; what lies between columns stays as it is.
  template <class F> Vector multiply(F &format, Scalar alpha, Scalar beta) const
  {
    const std::size_t n = column.size();
    Vector            x(n * ldx, nan), y(n * ldy, nan);
    for (std::size_t c = 0; c < n; ++c) {
      std::copy(column[c].x.begin(), column[c].x.end(), x.begin() + c * ldx);
      if (beta != Scalar(0)) std::copy(column[c].y_before.begin(), column[c].y_before.end(), y.begin() + c * ldy);
      std::fill_n(y.begin() + (c + 1) * ldy - between, between, Scalar(-77));
    }
    format.multiply_many(op, alpha, x.data(), ldx, beta, y.data(), ldy, static_cast<int>(n));
    return y;
  }

  template <class F> std::string wrong(F &format, Scalar alpha, Scalar beta, Mode mode) const
  {
    const Vector y = multiply(format, alpha, beta);
    for (std::size_t c = 0; c < column.size(); ++c) {
      const auto   at = y.begin() + c * ldy, end = at + ldy - between;
      const Vector mine(at, end);
      std::string  d = difference(mine, column[c].reference, alpha, beta, column[c].y_before, mode);
      if (d.empty() && !std::all_of(end, end + between, [](Scalar v) { return v == Scalar(-77); })) d = "wrote between columns";
      if (!d.empty()) return "column " + std::to_string(c) + " of " + std::to_string(column.size()) + ": " + d;
    }
    return "";
  }
};

} // namespace petscspmv::test
