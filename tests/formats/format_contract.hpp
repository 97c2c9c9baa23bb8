#pragma once

/// \file format_contract.hpp
/// What every format promises, with every scalar and index type, on every matrix, for every operation. Instantiated by
/// formats_test.cpp for the host and by device_test.cpp for the device.

#include "format_fixture.hpp"
#include "support/pattern_changes.hpp"

namespace petscspmv::test {

TYPED_TEST_SUITE_P(FormatTest);

TYPED_TEST_P(FormatTest, IsWithinTheErrorBound)
{
  this->for_all(Mode::rounded, 3, this->check_products);
}

TYPED_TEST_P(FormatTest, IsExactForSmallIntegers)
{
  this->for_all(Mode::exact, 6, this->check_products);
}

// Also from one product to the next, where buffers hold what the one before has left.
TYPED_TEST_P(FormatTest, GivesTheSameBitsForAnyNumberOfThreads)
{
  for (const auto &named : this->all()) {
    const typename TestFixture::Problem problem(named, Mode::rounded);
    for (const OptionValues &options : named.large ? this->few_options() : option_variants<TypeParam>(2)) {
      SCOPED_TRACE(named.name + ", " + describe(options));
      TypeParam one(problem.a.view(), options, this->threads(1));
      for (int n : this->thread_counts()) {
        TypeParam several(problem.a.view(), options, this->threads(n));
        for (const auto &c : problem.cases) {
          const auto expected = problem.multiply(one, c, 0.5, -1.0);
          for (int repeat = 0; repeat < 2; ++repeat)
            ASSERT_TRUE(same_bits(expected, problem.multiply(several, c, 0.5, -1.0))) << name(c.op) << " with " << n << " threads";
        }
      }
    }
  }
}

TYPED_TEST_P(FormatTest, RefreshTakesNewValuesAtNewAddresses)
{
  this->for_small(Mode::rounded, option_variants<TypeParam>(2), [](const auto &after, const OptionValues &options) {
    auto      before = std::make_unique<typename TestFixture::Problem>(after.a, Mode::rounded, 2);
    TypeParam format(before->a.view(), options, TestFixture::threads(2));
    for (const auto &c : before->cases) ASSERT_EQ(before->wrong(format, c, 1.0, 0.0), "");
    format.refresh(after.a.view());
    before.reset(); // what is still read of it is an error that the address sanitizer sees
    for (const auto &c : after.cases) ASSERT_EQ(after.wrong(format, c, 1.0, 0.0), "");
  });
}

// Values of another pattern are not taken over, unless columns are read where the matrix has them.
TYPED_TEST_P(FormatTest, RefreshTellsOfAnotherPattern)
{
  this->for_small(Mode::rounded, option_variants<TypeParam>(1), [](const auto &before, const OptionValues &options) {
    for (auto &[name, changed] : pattern_changes(before.a, 3)) {
      SCOPED_TRACE(name);
      const std::decay_t<decltype(before)> after(changed, Mode::rounded, 2);
      TypeParam                            format(before.a.view(), options, TestFixture::threads(2));
      const bool                           taken = format.refresh(after.a.view());
      ASSERT_TRUE(!taken || TypeParam::borrows);
      for (const auto &c : taken ? after.cases : before.cases) ASSERT_EQ((taken ? after : before).wrong(format, c, 1.0, 0.0), "");
      ASSERT_TRUE(taken || format.refresh(before.a.view()));
    }
  });
}

// A NaN or an infinity in x reaches the rows that have its column, and no others: also where lanes are filled up or
// loads reach over the end of a row.
TYPED_TEST_P(FormatTest, NonFiniteEntriesOfXStayInTheirRows)
{
  for (const auto &named : this->all()) {
    if (named.large || named.fixed_values) continue;
    const typename TestFixture::Problem problem(named, Mode::rounded);
    auto                                poisoned = std::vector(problem.cases.begin(), problem.cases.begin());
    for (const double poison : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
      for (const auto &c : problem.cases) {
        if (c.x.empty()) continue;
        for (const std::size_t at : {std::size_t(0), c.x.size() / 3, c.x.size() - 1}) {
          poisoned.push_back(c);
          poisoned.back().x[at] = poison;
          problem.refer(poisoned.back());
        }
      }
    for (const OptionValues &options : option_variants_with_isa<TypeParam>(1)) {
      SCOPED_TRACE(named.name + ", " + describe(options));
      TypeParam format(problem.a.view(), options, this->threads(1));
      for (const auto &c : poisoned) ASSERT_EQ(problem.wrong(format, c, 1.0, 0.0), "");
    }
  }
}

TYPED_TEST_P(FormatTest, DoesNotUseXWhereAlphaIsZero)
{
  this->for_small(Mode::exact, {OptionValues(TypeParam::options())}, [](auto problem, const OptionValues &options) {
    TypeParam format(problem.a.view(), options, TestFixture::threads(1));
    for (auto &c : problem.cases) {
      std::fill(c.x.begin(), c.x.end(), std::numeric_limits<double>::quiet_NaN());
      for (double beta : {0.0, 1.0, 0.5}) EXPECT_EQ(problem.wrong(format, c, 0.0, beta), "");
    }
  });
}

// The sum of no entries is +0, and so is that of entries that are all -0, as in a plain loop that begins at 0.
TYPED_TEST_P(FormatTest, ZeroSumsArePositive)
{
  this->for_small(Mode::exact, option_variants_with_isa<TypeParam>(1), [](auto problem, const OptionValues &options) {
    using Scalar = typename TypeParam::scalar_type;
    auto &c      = problem.cases[0];
    std::fill(problem.a.val.begin(), problem.a.val.end(), Scalar(-0.0));
    std::fill(c.x.begin(), c.x.end(), Scalar(1));
    TypeParam format(problem.a.view(), options, TestFixture::threads(1));
    for (const Scalar &s : problem.multiply(format, c, 1.0, 0.0)) ASSERT_FALSE(std::signbit(std::real(s)) || s != Scalar(0));
  });
}

TYPED_TEST_P(FormatTest, RefusesOptionsOutOfRange)
{
  OptionValues options(TypeParam::options());
  for (const OptionSpec &spec : options.table()) {
    EXPECT_THROW(options.set(spec.key, spec.min - 1), FormatError) << spec.key;
    EXPECT_THROW(options.set(spec.key, spec.max + 1), FormatError) << spec.key;
    EXPECT_NO_THROW(options.set(spec.key, spec.min)) << spec.key;
    EXPECT_NO_THROW(options.set(spec.key, spec.max)) << spec.key;
  }
}

REGISTER_TYPED_TEST_SUITE_P(FormatTest, IsWithinTheErrorBound, IsExactForSmallIntegers, GivesTheSameBitsForAnyNumberOfThreads,
                            RefreshTakesNewValuesAtNewAddresses, RefreshTellsOfAnotherPattern, NonFiniteEntriesOfXStayInTheirRows,
                            DoesNotUseXWhereAlphaIsZero, ZeroSumsArePositive, RefusesOptionsOutOfRange);

} // namespace petscspmv::test
