#pragma once

/// \file format_fixture.hpp
/// A format with every matrix and several values of its options.

#include <gtest/gtest.h>

#include "core/runtime.hpp"
#include "support/formats.hpp"
#include "support/problem.hpp"

namespace petscspmv::test {

template <class F> class FormatTest : public ::testing::Test {
protected:
  using Scalar  = typename F::scalar_type;
  using Index   = typename F::index_type;
  using Problem = ProblemOf<F>;

  static constexpr bool on_device = is_on_device<F>;

  void SetUp() override
  {
    if constexpr (on_device)
      if (!runtime::has_device()) GTEST_SKIP() << runtime::device_problem();
  }

  static Execution threads(int n) { return {MemorySpace::host, n}; }

  /// Numbers of threads that make a difference: on a device none does.
  static std::vector<int> thread_counts()
  {
    if constexpr (on_device) return {1};
    return {1, 2, 3, 8};
  }

  static auto &all() { return matrices<Scalar, Index>(); }

  /// check(format, problem) for each matrix and for several values of the options, with one and with three threads. On
  /// a device, DeviceTest has more of them.
  template <class Check> static void for_all(Mode mode, int random_options, Check check)
  {
    for (const auto &named : all()) {
      if (named.fixed_values && mode == Mode::exact) continue;
      const Problem problem(named, mode);
      int           n = 0;
      for (const OptionValues &options : named.large ? few_options() : option_variants_with_isa<F>(on_device ? 1 : random_options)) {
        SCOPED_TRACE(named.name + ", " + describe(options));
        F format(problem.a.view(), options, threads(n++ % 3 == 2 ? 3 : 1));
        check(format, problem, named.large);
        if (::testing::Test::HasFatalFailure() || ::testing::Test::HasNonfatalFailure()) return;
      }
    }
  }

  /// check(problem, options) for each matrix that is not large and each of the options, until something fails.
  template <class Check> static void for_small(Mode mode, const std::vector<OptionValues> &variants, const Check &check)
  {
    for (const auto &named : all()) {
      if (named.large) continue;
      const Problem problem(named, mode);
      for (const OptionValues &options : variants) {
        SCOPED_TRACE(named.name + ", " + describe(options));
        check(problem, options);
        if (::testing::Test::HasFailure()) return;
      }
    }
  }

  static std::vector<OptionValues> few_options()
  {
    auto options = option_variants<F>(0);
    options.resize(std::min<std::size_t>(options.size(), 2));
    return options;
  }

  static void check_products(F &format, const Problem &problem, bool few)
  {
    for (const auto &c : problem.cases)
      for (double alpha : {1.0, 0.0, -1.0, 0.5})
        for (double beta : {0.0, 1.0, -1.0, 0.5}) {
          if (few && alpha != 1 && beta != 0.5) continue;
          EXPECT_EQ(problem.wrong(format, c, alpha, beta), "");
        }
  }
};

} // namespace petscspmv::test
