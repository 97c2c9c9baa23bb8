#pragma once

/// \file product_contract.hpp
/// What products of sparse matrices are tested for, wherever they are made: against sums entry by entry in long double.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "formats/at_place.hpp"
#include "impls/products/product.hpp"
#include "support/matrices.hpp"

namespace petscspmv::test {

template <class Scalar, class Index> struct Factors {
  std::string              name;
  CsrMatrix<Scalar, Index> a, p;
  FactorBlocks<Index>      blocks = {};
};

/// For P^T A P and A P; A^T P fits, too.
template <class Scalar, class Index> std::vector<Factors<Scalar, Index>> all_factors()
{
  using P                      = Patterns<Scalar, Index>;
  const auto          empty    = [](Index, auto &) { return 0; };
  const auto          uneven   = [](Index r, auto &) { return r % 7 == 3 ? 60 : r % 5; };
  const auto          one_in   = [](Index r) { return typename P::Row{r / 8}; };
  const auto          long_row = [](Index r) { return r == 0 ? P::range(0, 300) : typename P::Row{r}; };
  FactorBlocks<Index> of_two{2, 2, 2, 2}, of_three{3, 3, 3, 6};
  auto                all = std::vector<Factors<Scalar, Index>>{
                   {"7-point and aggregates", P::box(6, 6, 1), P::by_rows(216, 27, one_in)},
                   {"9-point and random", P::box(14, 1, 2), P::regular(196, 40, 3, 5)},
                   {"uneven rows", P::random(150, 150, 3, uneven), P::random(150, 70, 4, uneven)},
                   {"more than 256 entries in a row", P::by_rows(300, 300, long_row), P::by_rows(300, 300, long_row)},
                   {"no entries in A", P::random(30, 30, 3, empty), P::regular(30, 10, 2, 1)},
                   {"no entries in P", P::regular(30, 30, 4, 2), P::random(30, 10, 3, empty)},
                   {"no columns", P::regular(5, 5, 2, 2), P::random(5, 0, 3, empty)},
                   {"one row", P::regular(1, 1, 1, 2), P::regular(1, 1, 1, 3)},
                   {"27-point, 3 rows a node, 6 columns", P::box(4, 4, 3, 3),
                    P::by_rows(192, 48, [](Index r) { return P::range(r / 3 / 8 * 6, r / 3 / 8 * 6 + 6); }), of_three},
                   {"blocks with holes", P::box(4, 4, 1, 2), P::by_rows(128, 32, [](Index r) { return P::range(r / 8, r / 8 + 2 + r % 2); }), of_two},
                   {"blocks that are shifted", P::box(4, 4, 1, 2), P::by_rows(128, 33, [](Index r) { return P::range(r / 8 + 1, r / 8 + 3); }), of_two}};
  for (auto &f : all) {
    set_values(f.a, 3, false);
    set_values(f.p, 4, false);
  }
  return all;
}

/// Column by column: as A B^T and R A R^T are given what makes A B and P^T A P of it.
template <class Scalar, class Index> CsrMatrix<Scalar, Index> transpose_of(const CsrMatrix<Scalar, Index> &a)
{
  CsrMatrix<Scalar, Index> made;
  made.cols = a.rows;
  std::vector<Scalar> values;
  for (Index c = 0; c < a.cols; ++c) {
    std::vector<Index> rows;
    for (auto [row, col, value] : a.entries())
      if (col == c) {
        rows.push_back(row);
        values.push_back(value);
      }
    made.add_row(rows);
  }
  made.val = values;
  return made;
}

/// Each entry of C, and the sum of absolute products that it is made of.
template <class Scalar, class Index> using Entries = std::map<std::pair<Index, Index>, std::pair<std::complex<long double>, long double>>;

template <class Scalar, class Index>
Entries<Scalar, Index> entries_of_product(ProductKind kind, const CsrMatrix<Scalar, Index> &a, const CsrMatrix<Scalar, Index> &b)
{
  Entries<Scalar, Index> c;
  const auto             add = [&](Index i, Index j, std::complex<long double> product) {
    auto &[sum, size] = c[{i, j}];
    sum += product;
    size += std::abs(product);
  };
  for (auto [r, k, v] : a.entries()) {
    const std::complex<long double> value(v);
    const Index                     in_b = kind == ProductKind::atb ? r : k, in_c = kind == ProductKind::atb ? k : r;
    for (Index j = b.row_ptr[in_b]; j < b.row_ptr[in_b + 1]; ++j) {
      const auto product = value * std::complex<long double>(b.val[j]);
      if (kind != ProductKind::ptap) add(in_c, b.col[j], product);
      else
        for (Index i = b.row_ptr[r]; i < b.row_ptr[r + 1]; ++i) add(b.col[i], b.col[j], std::complex<long double>(b.val[i]) * product);
    }
  }
  return c;
}

template <class Param> class ProductTest : public ::testing::Test {
protected:
  using Scalar = typename Param::Scalar;
  using Index  = typename Param::Index;
  using Where  = typename Param::Place;
  using Case   = Factors<Scalar, Index>;
  using Made   = SparseProduct<Scalar, Index>;

  void SetUp() override
  {
    if (const std::string missing = Where::missing(); !missing.empty()) GTEST_SKIP() << missing;
  }

  static std::vector<Case> cases() { return all_factors<Scalar, Index>(); }

  /// C's values, into `values`; whether they were written.
  static bool multiply(Made &made, const CsrMatrix<Scalar, Index> &a, const CsrMatrix<Scalar, Index> &b, std::vector<Scalar> *values)
  {
    const auto held_a = Where::hold(a), held_b = Where::hold(b);
    return Where::write(*values, [&](Scalar *to) { return made.values(held_a.view(), held_b.view(), to); });
  }

  /// The product of matrices that make the same as A and P by another kind.
  struct Same {
    ProductKind kind, other;
  };
  static constexpr Same kinds[] = {{ProductKind::ab, ProductKind::ab},
                                   {ProductKind::atb, ProductKind::atb},
                                   {ProductKind::ptap, ProductKind::ptap},
                                   {ProductKind::abt, ProductKind::ab},
                                   {ProductKind::rart, ProductKind::ptap}};

  /// The product, made of copies that are gone when it is multiplied.
  static std::unique_ptr<Made> make(ProductKind kind, const Case &f, const Execution &execution)
  {
    const auto a = Where::hold(f.a), b = Where::hold(f.p);
    return make_product(kind, a.view(), b.view(), f.blocks, execution);
  }
};
TYPED_TEST_SUITE_P(ProductTest);

TYPED_TEST_P(ProductTest, HasTheEntriesOfTheProduct)
{
  using Scalar = typename TestFixture::Scalar;
  using Index  = typename TestFixture::Index;
  for (const auto &given : this->cases())
    for (const auto [kind, other] : TestFixture::kinds) {
      auto f = given;
      if (kind != other) {
        f.p = transpose_of(given.p);
        std::swap(f.blocks.b_rows, f.blocks.b_cols);
      }
      std::vector<Scalar> first;
      for (const Execution &execution : TestFixture::Where::all()) {
        SCOPED_TRACE(f.name + ", product " + std::to_string(static_cast<int>(kind)) + ", threads " + std::to_string(execution.threads));
        const auto         made    = this->make(kind, f, execution);
        const auto         row_ptr = made->row_ptr();
        std::vector<Index> col(static_cast<std::size_t>(row_ptr.back()));
        made->columns(col.data());
        CsrMatrix<Scalar, Index> scaled = f.a;
        std::vector<Scalar>      values(col.size());
        for (const int scale : {1, 2}) { // new values of the same patterns
          scaled.val.clear();
          for (const Scalar v : f.a.val) scaled.val.push_back(v * Scalar(scale));
          const auto expected = entries_of_product(other, scaled, given.p);
          ASSERT_TRUE(this->multiply(*made, scaled, f.p, &values));
          ASSERT_EQ(expected.size(), values.size());
          auto e = expected.begin();
          for (Index r = 0; r < static_cast<Index>(row_ptr.size()) - 1; ++r)
            for (Index k = row_ptr[r]; k < row_ptr[r + 1]; ++k, ++e) {
              ASSERT_EQ(e->first, std::pair(r, col[k]));
              const auto &[sum, size] = e->second;
              const long double most  = size * static_cast<long double>(f.a.rows + 8) * std::numeric_limits<double>::epsilon();
              EXPECT_LE(std::abs(std::complex<long double>(values[k]) - sum), most);
            }
        }
        if (first.empty()) first = values;
        else EXPECT_EQ(values, first) << "with other threads";
        made->forget_pattern();
        ASSERT_TRUE(this->multiply(*made, scaled, f.p, &values));
        EXPECT_EQ(values, first) << "again";
      }
    }
}

TYPED_TEST_P(ProductTest, NaNsEndInNaNs)
{
  using Scalar = typename TestFixture::Scalar;
  auto f       = this->cases()[0];
  f.a.val[0]   = std::numeric_limits<double>::quiet_NaN();
  for (const ProductKind kind : {ProductKind::ptap, ProductKind::rart}) {
    if (kind == ProductKind::rart) f.p = transpose_of(f.p);
    const auto          made = this->make(kind, f, TestFixture::Where::all()[0]);
    std::vector<Scalar> values(static_cast<std::size_t>(made->row_ptr().back()));
    ASSERT_TRUE(this->multiply(*made, f.a, f.p, &values));
    EXPECT_TRUE(std::isnan(std::abs(values[0])));
    EXPECT_FALSE(std::isnan(std::abs(values.back())));
  }
}

TYPED_TEST_P(ProductTest, OtherPatternsAreRefused)
{
  using Scalar = typename TestFixture::Scalar;
  for (const ProductKind kind : {ProductKind::ab, ProductKind::abt}) {
    auto f = this->cases()[1];
    if (kind == ProductKind::abt) f.p = transpose_of(f.p);
    const auto          made = this->make(kind, f, TestFixture::Where::all()[0]);
    std::vector<Scalar> values(static_cast<std::size_t>(made->row_ptr().back()), 7);
    for (auto *factor : {&f.a, &f.p}) {
      std::swap(factor->col[0], factor->col[1]);
      EXPECT_FALSE(this->multiply(*made, f.a, f.p, &values));
      std::swap(factor->col[0], factor->col[1]);
      EXPECT_EQ(values.front(), Scalar(7));
    }
  }
}

// A full column times a full row.
TYPED_TEST_P(ProductTest, TooManyProductsAreRefused)
{
  using P       = Patterns<typename TestFixture::Scalar, typename TestFixture::Index>;
  const auto of = typename TestFixture::Case{"", P::by_rows(300, 1, [](auto) { return P::range(0, 1); }),
                                             P::by_rows(1, 300, [](auto) { return P::range(0, 300); })};
  try {
    this->make(ProductKind::ab, of, TestFixture::Where::all()[0]);
    ADD_FAILURE() << "places are kept for 90,000 products of 600 entries";
  } catch (const FormatError &e) {
    EXPECT_NE(std::string(e.what()).find("has 90000 products of two"), std::string::npos) << e.what();
  }
}

REGISTER_TYPED_TEST_SUITE_P(ProductTest, HasTheEntriesOfTheProduct, NaNsEndInNaNs, OtherPatternsAreRefused, TooManyProductsAreRefused);

} // namespace petscspmv::test
