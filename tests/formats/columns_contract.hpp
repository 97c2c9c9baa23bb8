#pragma once

/// \file columns_contract.hpp
/// Products with several vectors at once: every format, every matrix, any number of columns. Instantiated by
/// columns_test.cpp for the formats on the host, by kokkos_test.cpp and device_kokkos_test.cpp for their kernels
/// through Kokkos.

#include "format_fixture.hpp"

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
        if (v == v) v = mode == Mode::exact ? v * Scalar(c % 3 - 1.0) : v * Scalar(1.0 / (c + 1));
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

template <class F> class ColumnsTest : public FormatTest<F> {
protected:
  using Columns = test::Columns<typename F::scalar_type, typename F::index_type>;

  /// Those that the format has.
  static constexpr auto both = std::span(operations).first(F::transposes ? 2 : 1);

  static std::vector<Columns> with_all(const typename FormatTest<F>::Problem &problem, int n)
  {
    std::vector<Columns> all;
    for (const Operation op : both) all.emplace_back(problem, n, Mode::rounded, op);
    return all;
  }

  /// Numbers of columns and factors in turns, so that many combinations are met with all matrices and options together,
  /// and few with each.
  struct Turns {
    static constexpr int                       counts[]  = {8, 1, 9, 4, 17, 0, 3, 7, 2, 16, 10, 5};
    static constexpr std::pair<double, double> factors[] = {{1.0, 0.0}, {0.5, -1.0}, {1.0, 1.0}, {-1.0, 0.0},
                                                            {0.0, 0.0}, {1.0, 0.5},  {0.0, 0.5}};
    std::size_t                                n         = 0;

    int  count() const { return counts[n % std::size(counts)]; }
    auto factor() const { return factors[n % std::size(factors)]; }
  };
};
TYPED_TEST_SUITE_P(ColumnsTest);

TYPED_TEST_P(ColumnsTest, EqualTheOracleForAnyNumberOfColumns)
{
  typename TestFixture::Turns turns;
  for (const Mode mode : {Mode::rounded, Mode::exact})
    this->for_all(mode, 1, [&turns, mode](TypeParam &format, const auto &problem, bool large) {
      if (large && mode == Mode::exact) return;
      for (const Operation op : TestFixture::both)
        for (int repeat = 0; repeat < (large ? 1 : 2); ++repeat, ++turns.n) {
          const typename TestFixture::Columns columns(problem, large ? 3 : turns.count(), mode, op);
          const auto [alpha, beta] = turns.factor();
          EXPECT_EQ(columns.wrong(format, alpha, beta, mode), "") << name(op) << ", alpha " << alpha << ", beta " << beta;
        }
    });
}

TYPED_TEST_P(ColumnsTest, GiveTheSameBitsForAnyNumberOfThreads)
{
  using Problem = typename TestFixture::Problem;
  for (const auto &named : this->all()) {
    if (named.large) continue;
    const Problem problem(named, Mode::rounded);
    const auto    all = this->with_all(problem, 8);
    for (const OptionValues &options : option_variants<TypeParam>(1)) {
      SCOPED_TRACE(named.name + ", " + describe(options));
      TypeParam one(problem.a.view(), options, this->threads(1));
      for (int n : this->thread_counts()) {
        TypeParam several(problem.a.view(), options, this->threads(n));
        for (int repeat = 0; repeat < 2; ++repeat)
          for (const auto &columns : all)
            ASSERT_TRUE(same_bits(columns.multiply(one, 0.5, -1.0), columns.multiply(several, 0.5, -1.0)))
              << name(columns.op) << ", " << n << " threads";
      }
    }
  }
}

TYPED_TEST_P(ColumnsTest, FollowARefresh)
{
  using Columns = typename TestFixture::Columns;
  using Problem = typename TestFixture::Problem;
  for (const auto &named : this->all()) {
    if (named.large) continue;
    for (const OptionValues &options : option_variants<TypeParam>(2)) {
      SCOPED_TRACE(named.name + ", " + describe(options));
      auto          before = std::make_unique<Problem>(named, Mode::rounded, 1);
      TypeParam     format(before->a.view(), options, this->threads(2));
      const Problem after(named, Mode::rounded, 2);
      for (const Operation op : TestFixture::both)
        ASSERT_EQ(Columns(*before, 5, Mode::rounded, op).wrong(format, 1.0, 0.0, Mode::rounded), "") << name(op);
      format.refresh(after.a.view());
      before.reset();
      for (const Operation op : TestFixture::both)
        ASSERT_EQ(Columns(after, 5, Mode::rounded, op).wrong(format, 1.0, 0.0, Mode::rounded), "") << name(op);
    }
  }
}

// In one column, at one row: the other columns have nothing of it.
TYPED_TEST_P(ColumnsTest, NonFiniteEntriesStayInTheirRowsAndColumns)
{
  using Problem = typename TestFixture::Problem;
  for (const auto &named : this->all()) {
    if (named.large || named.fixed_values) continue;
    const Problem problem(named, Mode::rounded);
    if (problem.a.cols == 0 || problem.a.rows == 0) continue;
    for (const double poison : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      auto all = this->with_all(problem, 7);
      for (auto &columns : all)
        for (const std::size_t c : {1, 4}) {
          auto &one                     = columns.column[c];
          one.x[one.x.size() / (c + 1)] = poison;
          problem.refer(one);
        }
      for (const OptionValues &options : option_variants_with_isa<TypeParam>(1)) {
        SCOPED_TRACE(named.name + ", " + describe(options));
        TypeParam format(problem.a.view(), options, this->threads(1));
        for (const auto &columns : all) ASSERT_EQ(columns.wrong(format, 1.0, 0.0, Mode::rounded), "") << name(columns.op);
      }
    }
  }
}

REGISTER_TYPED_TEST_SUITE_P(ColumnsTest, EqualTheOracleForAnyNumberOfColumns, GiveTheSameBitsForAnyNumberOfThreads, FollowARefresh,
                            NonFiniteEntriesStayInTheirRowsAndColumns);

} // namespace petscspmv::test
