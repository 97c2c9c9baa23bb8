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

  /// Compares, by kernels at all places, also with fill of up to `levels`. Returns whether kernels have found all.
  static bool compare(const CsrMatrix<Scalar, Index> &a, const BlockOrder<Index> &order, Making when = Making::always,
                      bool symmetric = false, int levels = 0)
  {
    bool       by_kernels = true;
    const auto found      = [&](Execution execution, Kernels kernels) {
      const auto *const           rows = order.row.empty() ? nullptr : &order;
      KeptAnalysis<Scalar, Index> kept;
      execution.kernels = kernels;
      if (symmetric || levels > 0) kept = analysed_with_fill(a.view(), rows, symmetric, levels, execution, when);
      else make_incomplete_factors(a.view(), rows, false, 0, execution, when, &kept);
      auto numbers = numbers_of(*kept);
      by_kernels &= kernels == Kernels::automatic || numbers["by kernels"] == std::vector<std::int64_t>{1};
      numbers.erase("by kernels");
      return numbers;
    };
    const auto right = found({}, Kernels::automatic);
    for (const auto &place : SweepsTest<T>::Place::all()) {
      const auto own = found(place.execution, Kernels::kokkos);
      for (const auto &[name, numbers] : right) EXPECT_TRUE(own.contains(name) && own.at(name) == numbers) << name;
      EXPECT_EQ(own.size(), right.size());
    }
    return by_kernels;
  }

  static std::vector<BlockOrder<Index>> orders(const CsrMatrix<Scalar, Index> &a)
  {
    return {{}, {shuffled(a.rows), {}, {}}, block_order(a.view(), a.val.data(), Index(1), {})};
  }

  static void compare_in_all_orders(const CsrMatrix<Scalar, Index> &a)
  {
    for (const auto &order : orders(a)) compare(a, order);
  }

  /// ILU(k) and ICC(k). Returns whether kernels have found all.
  static bool compare_with_fill(const CsrMatrix<Scalar, Index> &a, int most_levels)
  {
    bool by_kernels = true;
    for (const auto &order : orders(a))
      for (const bool symmetric : {false, true})
        for (int levels = symmetric ? 0 : 1; levels <= most_levels; ++levels) {
          SCOPED_TRACE(::testing::Message() << levels << " levels, symmetric: " << symmetric << ", in an order: " << !order.row.empty());
          by_kernels &= compare(a, order, Making::always, symmetric, levels);
        }
    return by_kernels;
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

TYPED_TEST_P(AnalysisTest, FillIsThatOfTheHost)
{
  using P = typename TestFixture::P;
  for (const auto &a : {P::by_rows(1, 1, [](auto) { return typename P::Row(); }), P::by_rows(9, 9, [](auto) { return typename P::Row(); }),
                        P::box(9, 1, 1), P::stencil(6), P::box(6, 4, 3), P::box(3, 3, 2, 3), P::regular(40, 40, 3, 1),
                        P::regular(300, 300, 2, 2), P::dense_row(60, 0), P::dense_row(60, 30), P::dense_row(60, 59)})
    EXPECT_TRUE(this->compare_with_fill(swept_pattern(a), 3)) << a.rows << " rows";
}

TYPED_TEST_P(AnalysisTest, FillIsThatOfTheHostForAllPatterns)
{
  this->each_pattern([this](const auto &a) {
    if (a.rows <= 100) this->compare_with_fill(a, 1); // it may be nearly all
  });
}

// Rows that are too long for a thread: of the matrix, of its upper triangle's transpose, and with fill.
TYPED_TEST_P(AnalysisTest, FillIsTheHostsForLongRows)
{
  using P                = typename TestFixture::P;
  constexpr auto most    = sweeps::tuning::most_thread_entries;
  const auto last_column = P::by_rows(most + 1, most + 1, [](auto r) { return r == most ? typename P::Row{r} : typename P::Row{r, most}; });
  EXPECT_FALSE(this->compare(swept_pattern(P::dense_row(most + 1, most)), {}, Making::always, false, 1));
  EXPECT_FALSE(this->compare(last_column, {}, Making::always, true, 0));
  EXPECT_FALSE(this->compare(last_column, {}, Making::always, true, 1));
  EXPECT_FALSE(this->compare(swept_pattern(P::regular(400, 400, 60, 1)), {}, Making::always, false, 2));
}

// In a chain of rows and with columns that do not ascend.
TYPED_TEST_P(AnalysisTest, FillIsTheHostsWhereKernelsDoNotLook)
{
  using P              = typename TestFixture::P;
  constexpr int n      = 2000;
  const auto    chain  = P::by_rows(n, n, [](auto r) { return P::range(r - (r > 0), std::min(r + 2, decltype(r)(n))); });
  const auto    flawed = {P::by_rows(2, 2,
                                     [](auto r) {
                                    return typename P::Row{1 - r, r};
                                  }),
                          P::by_rows(2, 2, [](auto) { return typename P::Row{0}; })};
  for (const Making when : {Making::if_faster, Making::always}) EXPECT_FALSE(this->compare(chain, {}, when, false, 1));
  for (auto place : TestFixture::Place::all()) {
    place.execution.kernels = Kernels::kokkos;
    for (const auto &a : flawed) EXPECT_THROW(make_incomplete_factors(a.view(), nullptr, false, 1, place.execution), FormatError);
  }
}

REGISTER_TYPED_TEST_SUITE_P(AnalysisTest, FillIsThatOfTheHost, FillIsThatOfTheHostForAllPatterns, FillIsTheHostsForLongRows,
                            FillIsTheHostsWhereKernelsDoNotLook, IsThatOfTheHost, IsThatOfTheHostForManyRows, OrdersAsTheHostDoes,
                            IsThatOfTheHostForLongRows, IsThatOfTheHostForBlocksWithLongRows, EndsWhereThereAreTooManyLevels);

} // namespace petscspmv::test
