#pragma once

/// \file columns_contract.hpp
/// Products with several vectors at once: every format, every matrix, any number of columns. Instantiated by
/// columns_test.cpp for the formats on the host, by kokkos_test.cpp and device_kokkos_test.cpp for their kernels
/// through Kokkos.

#include "format_fixture.hpp"
#include "support/columns.hpp"

namespace petscspmv::test {

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
  for (const auto &named : this->all()) {
    if (named.large) continue;
    const typename TestFixture::Problem problem(named, Mode::rounded);
    const auto                          all = this->with_all(problem, 8);
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
  this->for_small(Mode::rounded, option_variants<TypeParam>(2), [](const auto &after, const OptionValues &options) {
    const auto expect_right = [](TypeParam &format, const auto &problem) {
      for (const Operation op : TestFixture::both)
        ASSERT_EQ(typename TestFixture::Columns(problem, 5, Mode::rounded, op).wrong(format, 1.0, 0.0, Mode::rounded), "") << name(op);
    };
    auto      before = std::make_unique<typename TestFixture::Problem>(after.a, Mode::rounded, 2);
    TypeParam format(before->a.view(), options, TestFixture::threads(2));
    expect_right(format, *before);
    format.refresh(after.a.view());
    before.reset();
    expect_right(format, after);
  });
}

// In one column, at one row: the other columns have nothing of it.
TYPED_TEST_P(ColumnsTest, NonFiniteEntriesStayInTheirRowsAndColumns)
{
  for (const auto &named : this->all()) {
    if (named.large || named.fixed_values) continue;
    const typename TestFixture::Problem problem(named, Mode::rounded);
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
