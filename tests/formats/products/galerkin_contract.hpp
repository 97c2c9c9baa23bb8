#pragma once

/// \file galerkin_contract.hpp
/// What Galerkin products are tested for, wherever they are made: against sums entry by entry in long double.

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "impls/products/galerkin.hpp"
#include "support/matrices.hpp"

namespace petscspmv::test {

template <class Scalar, class Index> struct Factors {
  std::string              name;
  CsrMatrix<Scalar, Index> a, p;
  Index                    row_block = 1, col_block = 1;
};

template <class Scalar, class Index> std::vector<Factors<Scalar, Index>> all_factors()
{
  using P           = Patterns<Scalar, Index>;
  const auto empty  = [](Index, auto &) { return 0; };
  const auto uneven = [](Index r, auto &) { return r % 7 == 3 ? 60 : r % 5; };
  const auto one_in = [](Index r) { return typename P::Row{r / 8}; };
  auto       all    = std::vector<Factors<Scalar, Index>>{
             {"7-point and aggregates", P::box(6, 6, 1), P::by_rows(216, 27, one_in)},
             {"9-point and random", P::box(14, 1, 2), P::regular(196, 40, 3, 5)},
             {"uneven rows", P::random(150, 150, 3, uneven), P::random(150, 70, 4, uneven)},
             {"no entries in A", P::random(30, 30, 3, empty), P::regular(30, 10, 2, 1)},
             {"no entries in P", P::regular(30, 30, 4, 2), P::random(30, 10, 3, empty)},
             {"no columns", P::regular(5, 5, 2, 2), P::random(5, 0, 3, empty)},
             {"one row", P::regular(1, 1, 1, 2), P::regular(1, 1, 1, 3)},
             {"27-point, 3 rows a node, 6 columns", P::box(4, 4, 3, 3),
              P::by_rows(192, 48, [](Index r) { return P::range(r / 3 / 8 * 6, r / 3 / 8 * 6 + 6); }), 3, 6},
             {"blocks with holes", P::box(4, 4, 1, 2), P::by_rows(128, 32, [](Index r) { return P::range(r / 8, r / 8 + 2 + r % 2); }), 2, 2}};
  for (auto &f : all) {
    set_values(f.a, 3, false);
    set_values(f.p, 4, false);
  }
  return all;
}

/// Each entry of C, and the sum of absolute products that it is made of.
template <class Scalar, class Index> using Entries = std::map<std::pair<Index, Index>, std::pair<std::complex<long double>, long double>>;

template <class Scalar, class Index>
Entries<Scalar, Index> entries_of_product(const CsrMatrix<Scalar, Index> &a, const CsrMatrix<Scalar, Index> &p)
{
  Entries<Scalar, Index> c;
  for (auto [r, k, v] : a.entries())
    for (Index i = p.row_ptr[r]; i < p.row_ptr[r + 1]; ++i)
      for (Index j = p.row_ptr[k]; j < p.row_ptr[k + 1]; ++j) {
        const auto product = std::complex<long double>(p.val[i]) * std::complex<long double>(v) * std::complex<long double>(p.val[j]);
        auto &[sum, size]  = c[{p.col[i], p.col[j]}];
        sum += product;
        size += std::abs(product);
      }
  return c;
}

template <class Param> class GalerkinTest : public ::testing::Test {
protected:
  void SetUp() override
  {
    if (const std::string missing = Param::where_type::missing(); !missing.empty()) GTEST_SKIP() << missing;
  }
};
TYPED_TEST_SUITE_P(GalerkinTest);

TYPED_TEST_P(GalerkinTest, HasTheEntriesOfTheProduct)
{
  using Scalar = typename TypeParam::scalar_type;
  using Index  = typename TypeParam::index_type;
  for (auto &f : all_factors<Scalar, Index>()) {
    std::vector<Scalar> first;
    for (const auto &where : TypeParam::where_type::all()) {
      SCOPED_TRACE(f.name);
      std::vector<Scalar> values;
      const auto          a = where.template hold<Scalar, Index>(f.a), p = where.template hold<Scalar, Index>(f.p);
      const auto          made    = make_galerkin_product(a.view(), p.view(), f.row_block, f.col_block, where.execution);
      const auto          row_ptr = made->row_ptr(), col = made->col();
      for (const int scale : {1, 2}) { // new values of the same patterns
        auto scaled = f.a;
        for (Scalar &v : scaled.val) v *= scale;
        const auto expected = entries_of_product(scaled, f.p);
        const auto b        = where.template hold<Scalar, Index>(scaled);
        values              = where.template values<Scalar>(*made, b.view(), p.view(), col.size());
        ASSERT_EQ(expected.size(), values.size());
        auto e = expected.begin();
        for (Index r = 0; r < f.p.cols; ++r)
          for (Index k = row_ptr[r]; k < row_ptr[r + 1]; ++k, ++e) {
            ASSERT_EQ(e->first, std::pair(r, col[k]));
            const auto &[sum, size] = e->second;
            const long double most  = size * static_cast<long double>(f.a.rows + 8) * std::numeric_limits<double>::epsilon();
            EXPECT_LE(std::abs(std::complex<long double>(values[k]) - sum), most);
          }
      }
      if (first.empty()) first = values;
      else EXPECT_EQ(values, first) << "with other threads";
    }
  }
}

TYPED_TEST_P(GalerkinTest, NaNsEndInNaNs)
{
  using Scalar = typename TypeParam::scalar_type;
  using Index  = typename TypeParam::index_type;
  for (const auto &where : TypeParam::where_type::all()) {
    auto f       = all_factors<Scalar, Index>()[0];
    f.a.val[0]   = std::numeric_limits<double>::quiet_NaN();
    const auto a = where.template hold<Scalar, Index>(f.a), p = where.template hold<Scalar, Index>(f.p);
    const auto made   = make_galerkin_product(a.view(), p.view(), f.row_block, f.col_block, where.execution);
    const auto values = where.template values<Scalar>(*made, a.view(), p.view(), made->col().size());
    EXPECT_TRUE(std::isnan(std::abs(values[0])));
    EXPECT_FALSE(std::isnan(std::abs(values.back())));
  }
}

REGISTER_TYPED_TEST_SUITE_P(GalerkinTest, HasTheEntriesOfTheProduct, NaNsEndInNaNs);

template <class Scalar, class Index, class Where> struct GalerkinParam {
  using scalar_type = Scalar;
  using index_type  = Index;
  using where_type  = Where;
};
template <class Where>
using MultipliedEverywhere = ::testing::Types<GalerkinParam<double, std::int32_t, Where>, GalerkinParam<double, std::int64_t, Where>,
                                              GalerkinParam<std::complex<double>, std::int32_t, Where>>;

} // namespace petscspmv::test
