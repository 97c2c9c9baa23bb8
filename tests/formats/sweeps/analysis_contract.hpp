#pragma once

/// \file analysis_contract.hpp
/// What kernels find out of a pattern, wherever they run: what threads of the host find, number by number.

#include <map>

#include "impls/sweeps/incomplete.hpp"
#include "impls/sweeps/sweeps_tuning.hpp"
#include "sweeps_contract.hpp"

namespace petscspmv::test {

template <class T> class AnalysisTest : public SweepsTest<T> {
public:
  using Scalar = typename SweepsTest<T>::Scalar;
  using Index  = typename SweepsTest<T>::Index;
  using P      = Patterns<Scalar, Index>;

  /// Compares, by kernels at all places.
  static void compare(const CsrMatrix<Scalar, Index> &a, const BlockOrder<Index> &order, Making when = Making::always)
  {
    const auto found = [&](Execution execution, Kernels kernels) {
      KeptAnalysis<Scalar, Index> kept;
      execution.kernels = kernels;
      make_incomplete_factors(a.view(), order.row.empty() ? nullptr : &order, false, 0, execution, when, &kept);
      return numbers_of(*kept);
    };
    const auto right = found({}, Kernels::automatic);
    for (const auto &place : SweepsTest<T>::Place::all()) {
      const auto own = found(place.execution, Kernels::kokkos);
      for (const auto &[name, numbers] : right) EXPECT_TRUE(own.count(name) && own.at(name) == numbers) << name;
      EXPECT_EQ(own.size(), right.size());
    }
  }

  static void compare_in_all_orders(const CsrMatrix<Scalar, Index> &a)
  {
    for (const BlockOrder<Index> &order :
         {BlockOrder<Index>(), {shuffled(a.rows), {}, {}}, block_order(a.view(), a.val.data(), Index(1), {})})
      compare(a, order);
  }
};
TYPED_TEST_SUITE_P(AnalysisTest);

TYPED_TEST_P(AnalysisTest, IsThatOfTheHost)
{
  this->each_pattern([this](const auto &a) { this->compare_in_all_orders(a); });
}

// Of which some thousands of rows are looked at together, and wait for each other.
TYPED_TEST_P(AnalysisTest, IsThatOfTheHostForManyRows)
{
  using P = typename TestFixture::P;
  for (const auto &a : {P::stencil(15), P::box(40, 3, 3), P::box(5, 20, 3, 3), P::regular(4000, 4000, 5, 1), P::regular(1000, 1000, 70, 2)})
    this->compare_in_all_orders(swept_pattern(a));
}

TYPED_TEST_P(AnalysisTest, OrdersAsTheHostDoes)
{
  using Index = typename TestFixture::Index;
  this->each_pattern([](const auto &a) {
    for (const Index node_rows : {1, 3}) {
      const auto right = block_order(a.view(), a.val.data(), node_rows, {});
      for (auto place : TestFixture::Place::all()) {
        place.execution.kernels = Kernels::kokkos;
        EXPECT_EQ(right, block_order(a.view(), a.val.data(), node_rows, place.execution));
      }
    }
  });
}

// Too long for a thread, and as long as may be.
TYPED_TEST_P(AnalysisTest, IsThatOfTheHostForLongRows)
{
  constexpr int most = sweeps::tuning::most_thread_entries;
  for (const int n : {most, most + 1}) this->compare_in_all_orders(swept_pattern(TestFixture::P::dense_row(n, n / 2)));
}

// Blocks of 100 rows, with a long row and a short one of the same level in both triangles.
TYPED_TEST_P(AnalysisTest, IsThatOfTheHostForBlocksWithLongRows)
{
  using P                                             = typename TestFixture::P;
  const BlockOrder<typename TestFixture::Index> order = {natural<typename TestFixture::Index>(300), {0, 100, 200, 300}, {0, 1, 2, 3}};
  this->compare(P::by_rows(300, 300,
                           [](auto r) {
                             switch (const auto k = r % 100) {
                             case 0:
                             case 99:
                               return typename P::Row{k ? r - 99 : r, k ? r : r + 99};
                             case 1:
                               return P::range(r, r + 80);
                             case 98:
                               return P::range(r - 80, r + 1);
                             default:
                               return typename P::Row{r};
                             }
                           }),
                order);
}

// A chain has as many levels as rows: too many are told, but not by how much.
TYPED_TEST_P(AnalysisTest, EndsWhereThereAreTooManyLevels)
{
  using P              = typename TestFixture::P;
  constexpr int n      = 2000;
  const auto    chain  = P::by_rows(n, n, [](auto r) { return P::range(r - (r > 0), r + 1); });
  const auto    across = P::by_rows(n, n, [](auto r) { return P::range(r, r + 1 + (r + 1 < n)); });
  for (const auto *a : {&chain, &across})
    for (const Making when : {Making::if_faster, Making::always}) this->compare(*a, {}, when);
}

REGISTER_TYPED_TEST_SUITE_P(AnalysisTest, IsThatOfTheHost, IsThatOfTheHostForManyRows, OrdersAsTheHostDoes, IsThatOfTheHostForLongRows,
                            IsThatOfTheHostForBlocksWithLongRows, EndsWhereThereAreTooManyLevels);

} // namespace petscspmv::test
