#pragma once

/// \file device_problems.hpp
/// Matrices that are hard for a device, and what the tests of all formats and of a single one there have in common.

#include <gtest/gtest.h>

#include "core/runtime.hpp"
#include "formats/settings.hpp"
#include "support/formats.hpp"
#include "support/on_device.hpp"
#include "support/problem.hpp"

namespace petscspmv::test {

/// With values that are as different or as alike as they were.
template <class Scalar, class Index> CsrMatrix<Scalar, Index> scaled(CsrMatrix<Scalar, Index> a, double c)
{
  for (Scalar &v : a.val) v *= c;
  return a;
}

/// A product with vectors that begin where nothing but a number is aligned has the same bits, and writes nothing in
/// front of y.
template <class F, class Case> void expect_same_at_odd_addresses(OnDevice<F> &format, const Case &c)
{
  using Scalar        = typename F::scalar_type;
  using Vector        = std::vector<Scalar>;
  const auto expected = Problem<Scalar, typename F::index_type>::multiply(format, c, 1.0, 0.0);
  for (const auto &[odd_x, odd_y] : {std::pair(1, 0), {1, 1}, {2, 2}, {3, 3}}) {
    Vector x(odd_x, Scalar(std::numeric_limits<double>::quiet_NaN()));
    x.insert(x.end(), c.x.begin(), c.x.end());
    const DeviceVector<Scalar> xd(x), yd(Vector(expected.size() + odd_y, Scalar(-7.0)));
    format.format().multiply(Operation::none, 1.0, xd.data() + odd_x, 0.0, yd.data() + odd_y);
    const auto y = yd.get();
    EXPECT_EQ(Vector(y.begin(), y.begin() + odd_y), Vector(odd_y, Scalar(-7.0)));
    EXPECT_TRUE(same_bits(expected, Vector(y.begin() + odd_y, y.end()))) << odd_x << ", " << odd_y;
  }
}

/// The tests of the device alone: real scalars, small indices.
struct DeviceProblems {
  using P       = Patterns<double, std::int32_t>;
  using Matrix  = CsrMatrix<double, std::int32_t>;
  using Named   = NamedMatrix<double, std::int32_t>;
  using Problem = test::Problem<double, std::int32_t>;

  /// Mostly a stencil, and here and there a long row.
  static Matrix stencil_with_long_rows()
  {
    const Matrix a = P::stencil(24);
    return P::by_rows(a.rows, a.cols, [&a](std::int32_t r) { return r % 5003 == 77 ? P::range(0, r == 77 ? 4000 : 700) : a.row(r); });
  }

  /// Long runs of empty rows at the beginning, in the middle and at the end, of which tiles have more than they can
  /// sum.
  static Matrix islands()
  {
    return P::random(300000, 500, 51, [](std::int32_t r, auto &) {
      if (r / 1000 == 150) return r % 3;
      return r == 70000 ? 400 : r % 40009 == 5 ? 1 : 0;
    });
  }

  /// As many empty rows as others, so that tiles have about as many rows as they can sum, some more and some fewer.
  static Matrix half_empty()
  {
    return P::random(60000, 500, 53, [](std::int32_t r, Random<double> &random) { return r % 2000 == 7 ? 20 : random.integer(0, 1); });
  }

  static std::vector<Named> all()
  {
    return {
      {"stencil with long rows", stencil_with_long_rows},
      {"islands", islands},
      {"half empty", half_empty},
      {"7-point stencil", [] { return P::stencil(20); }},
      {"rows alike", [] { return P::random(5000, 5000, 54, [](std::int32_t, auto &) { return 20; }); }},
      {"rows over many tiles", [] { return P::random(20, 40000, 55, [](std::int32_t r, auto &) { return r % 4 ? 200 * r : 30000; }); }},
      {"power law", [] {
         return P::random(6000, 6000, 52, [](std::int32_t, Random<double> &random) {
           return static_cast<std::int32_t>(2.0 / (0.002 + std::abs(random.number())));
         });
       }}};
  }

  /// What a format that has been built for a matrix of these tells of itself.
  template <class F> static Facts facts(const char *name, const OptionValues &options = OptionValues(F::options()))
  {
    for (const Named &named : all())
      if (named.name == name) {
        const Problem problem(named, Mode::exact);
        return F(problem.a.view(), options, {MemorySpace::device, 1}).facts();
      }
    ADD_FAILURE() << "there is no matrix '" << name << "'";
    return {};
  }
};

class OnDeviceOnly : public ::testing::Test, protected DeviceProblems {
protected:
  void SetUp() override
  {
    if (!runtime::has_device()) GTEST_SKIP() << runtime::device_problem();
  }
};

} // namespace petscspmv::test
