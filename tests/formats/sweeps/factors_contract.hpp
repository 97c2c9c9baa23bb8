#pragma once

/// \file factors_contract.hpp
/// What incomplete factors are tested for, wherever they are made: against elimination row by row in long double.

#include <map>

#include "impls/sweeps/incomplete.hpp"
#include "sweeps_contract.hpp"

namespace petscspmv::test {

template <class Index> using FactorRows = std::vector<std::map<Index, Extended>>; ///< L without its ones, and D U

/// Adds zeros where there is fill of up to `levels`.
template <class Index> void fill(FactorRows<Index> &rows, int levels)
{
  std::vector<std::map<Index, int>> level(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const auto &entry : rows[r]) level[r][entry.first] = 0;
    for (auto at = level[r].begin(); at != level[r].end() && at->first < static_cast<Index>(r); ++at)
      for (const auto &[j, of_j] : level[at->first])
        if (const int sum = at->second + of_j + 1; j > at->first && sum <= levels) {
          rows[r].emplace(j, 0);
          int &own = level[r].emplace(j, sum).first->second;
          own      = std::min(own, sum);
        }
  }
}

/// If `symmetric`, of the upper triangle and its transpose.
template <class Scalar, class Index> FactorRows<Index> factored(const CsrMatrix<Scalar, Index> &a, bool symmetric, int levels)
{
  FactorRows<Index> rows(static_cast<std::size_t>(a.rows));
  for (auto [r, c, v] : a.entries()) {
    if (symmetric && c < r) continue;
    rows[r][c] = extended(v);
    if (symmetric) rows[c][r] = extended(v);
  }
  fill(rows, levels);
  for (Index r = 0; r < a.rows; ++r)
    for (auto &[k, l] : rows[r]) {
      if (k >= r) break;
      l /= rows[k].at(k);
      for (const auto &[j, u] : rows[k])
        if (const auto at = rows[r].find(j); j > k && at != rows[r].end()) at->second -= times(l, u);
    }
  return rows;
}

/// x = (L D U)^-1 b, or after the first half (L D^1/2)^-1 b.
template <class Scalar, class Index>
std::vector<Extended> solved(const FactorRows<Index> &rows, const std::vector<Scalar> &b, bool half = false)
{
  std::vector<Extended> x(b.size());
  for (std::size_t r = 0; r < x.size(); ++r) {
    x[r] = extended(b[r]);
    for (const auto &[k, l] : rows[r])
      if (k < static_cast<Index>(r)) x[r] -= times(l, x[k]);
  }
  for (std::size_t r = x.size(); r-- > 0;) {
    const Extended pivot = rows[r].at(static_cast<Index>(r));
    if (half) x[r] /= std::sqrt(pivot);
    if (half) continue;
    for (const auto &[k, u] : rows[r])
      if (k > static_cast<Index>(r)) x[r] -= times(u, x[k]);
    x[r] /= pivot;
  }
  return x;
}

template <class Scalar, class Index> std::vector<Extended> solved_transposed(const FactorRows<Index> &rows, const std::vector<Scalar> &b)
{
  FactorRows<Index> transposed(rows.size()); // whose L has the diagonal, and whose U has ones
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (const auto &[k, v] : rows[r]) transposed[k][static_cast<Index>(r)] = v;
  std::vector<Extended> x(b.size());
  for (std::size_t r = 0; r < x.size(); ++r) {
    x[r] = extended(b[r]);
    for (const auto &[k, v] : transposed[r])
      if (k < static_cast<Index>(r)) x[r] -= times(v, x[k]);
    x[r] /= transposed[r].at(static_cast<Index>(r));
  }
  for (std::size_t r = x.size(); r-- > 0;)
    for (const auto &[k, v] : transposed[r])
      if (k > static_cast<Index>(r)) x[r] -= times(v, x[k]);
  return x;
}

/// Random values, with a positive diagonal that outweighs its row and its column.
template <class Scalar, class Index> void set_values_to_factor(CsrMatrix<Scalar, Index> &a, unsigned seed)
{
  std::vector<double> weight(static_cast<std::size_t>(a.rows), 4);
  set_values(a, seed, false);
  for (auto [r, c, v] : a.entries())
    if (c != r) weight[r] += 2 * std::abs(v), weight[c] += 2 * std::abs(v);
  for (auto [r, c, v] : a.entries())
    if (c == r) v = weight[r];
}

/// Empty if they are near.
template <class Scalar>
std::string differences(const std::vector<Scalar> &x, const std::vector<Extended> &right, double entries_of_a_row, const char *what)
{
  for (std::size_t i = 0; i < x.size(); ++i)
    if (const auto error = static_cast<double>(std::abs(extended(x[i]) - right[i]));
        !(error <= 8 * (entries_of_a_row + 8) * std::numeric_limits<double>::epsilon()))
      return what + (": entry " + std::to_string(i)) + " of " + std::to_string(x.size()) + " is off by " + std::to_string(error);
  return "";
}

/// What is wrong with factors of `a`, which have been made.
template <class Place, class Scalar, class Index>
std::string wrong_factors(const Place &place, IncompleteFactors<Scalar, Index> &factors, const CsrMatrix<Scalar, Index> &a,
                          const std::vector<Index> &order, bool symmetric, int levels)
{
  const auto rows = factored(permuted(a, order), symmetric, levels);
  const auto b    = make_vector<Scalar>(static_cast<std::size_t>(a.rows), 7, Mode::rounded);
  const auto in   = [&order](const std::vector<Scalar> &v) { // the order
    std::vector<Scalar> to;
    to.reserve(order.size());
    for (const Index r : order) to.push_back(v[r]);
    return to;
  };
  double most = 0;
  for (const auto &row : rows) most = std::max(most, static_cast<double>(row.size()));
  auto        halfway = place.solve(factors, Solving::lower_root, b), back = b;
  std::string wrong = differences(in(place.solve(factors, Solving::both, b)), solved(rows, in(b)), most, "a solve");
  if (wrong.empty()) wrong = differences(in(halfway), solved(rows, in(b), true), most, "the first half");
  if (wrong.empty()) wrong = differences(in(place.solve(factors, Solving::upper_root, halfway)), solved(rows, in(b)), most, "both halves");
  factors.solve_transposed(b.data(), back.data());
  if (wrong.empty()) wrong = differences(in(back), solved_transposed(rows, in(b)), most, "a transposed solve");
  return wrong;
}

template <class T> class FactorsTest : public SweepsTest<T> {
};
TYPED_TEST_SUITE_P(FactorsTest);

// In the rows' own order, in no order, and by blocks, of which those of a colour are tied by fill.
TYPED_TEST_P(FactorsTest, AreThoseOfEliminationRowByRow)
{
  using Index = typename TestFixture::Index;
  for (const auto &place : TestFixture::Place::all())
    this->each_pattern([&place](auto a) {
      set_values_to_factor(a, 3);
      const auto              view     = a.view();
      const BlockOrder<Index> orders[] = {
        {natural<Index>(static_cast<std::size_t>(a.rows)), {}, {}}, {shuffled(a.rows), {}, {}}, block_order(view, view.val, Index(1), {})};
      for (int k = 0; k < 3; ++k)
        for (const bool symmetric : {false, true})
          for (const int levels : {0, k < 2 ? 2 : 1}) {
            if (levels > 0 && a.rows > 100) continue; // fill may be nearly all, and the reference is slow
            const auto factors = make_incomplete_factors(view, k > 0 ? &orders[k] : nullptr, symmetric, levels, place.execution).engine;
            for (const unsigned seed : {1U, 2U}) { // the values are new the second time
              set_values_to_factor(a, seed);
              ASSERT_TRUE(factors->factor(view, {1e-14, true, true}));
              ASSERT_EQ(wrong_factors(place, *factors, a, orders[k].row, symmetric, levels), "")
                << "order " << k << ", symmetric: " << symmetric << ", levels: " << levels;
            }
          }
    });
}

// Wherever its arrays are by then; and whoever comes with another order or pattern is not misled.
TYPED_TEST_P(FactorsTest, AreMadeOfWhatSweepsHaveFound)
{
  using Scalar = typename TestFixture::Scalar;
  using Index  = typename TestFixture::Index;
  for (const auto &place : TestFixture::Place::all()) {
    auto a = swept_pattern(Patterns<Scalar, Index>::stencil(6)), gone = a, other = swept_pattern(Patterns<Scalar, Index>::stencil(7));
    set_values_to_factor(a, 1);
    set_values_to_factor(other, 1);
    const auto                  blocks = block_order(a.view(), a.view().val, Index(1), {});
    KeptAnalysis<Scalar, Index> kept;
    make_sweeps(gone.view(), nullptr, place.execution, Making::always, &kept);
    const auto found = kept;
    gone             = {};
    const auto wrong = [&](const auto &of, const BlockOrder<Index> *order, bool symmetric, int levels) {
      const auto factors = make_incomplete_factors(of.view(), order, symmetric, levels, place.execution, Making::always, &kept).engine;
      if (!factors->factor(of.view(), {})) return std::string("a pivot does not fit");
      return wrong_factors(place, *factors, of, order ? order->row : natural<Index>(static_cast<std::size_t>(of.rows)), symmetric, levels);
    };
    for (const bool symmetric : {false, true})
      for (const int levels : {0, 1}) EXPECT_EQ(wrong(a, nullptr, symmetric, levels), "") << symmetric << levels;
    EXPECT_EQ(kept, found);
    EXPECT_EQ(wrong(a, &blocks, true, 0), "");
    EXPECT_NE(kept, found);
    const auto by_blocks = kept;
    make_sweeps(a.view(), &blocks, place.execution, Making::always, &kept);
    EXPECT_EQ(kept, by_blocks);
    for (const bool symmetric : {false, true}) EXPECT_EQ(wrong(a, &blocks, symmetric, 0), "") << symmetric;
    EXPECT_EQ(kept, by_blocks);
    EXPECT_EQ(wrong(other, nullptr, false, 0), "");
    EXPECT_NE(kept, by_blocks);
  }
}

TYPED_TEST_P(FactorsTest, HaveTheSameBitsEachTime)
{
  for (const auto &place : TestFixture::Place::all())
    this->each_pattern([&place](auto a) {
      set_values_to_factor(a, 1);
      const auto b     = make_vector<typename TestFixture::Scalar>(static_cast<std::size_t>(a.rows), 8, Mode::rounded);
      const auto solve = [&a, &b](const auto &where) {
        const auto factors = make_incomplete_factors(a.view(), nullptr, false, 0, where.execution).engine;
        EXPECT_TRUE(factors->factor(a.view(), {}));
        return where.solve(*factors, Solving::both, b);
      };
      const auto first = solve(TestFixture::Place::all().front());
      for (int repeat = 0; repeat < 3; ++repeat) ASSERT_TRUE(same_bits(first, solve(place)));
    });
}

TYPED_TEST_P(FactorsTest, ReportPivotsThatDoNotFit)
{
  using Scalar = typename TestFixture::Scalar;
  struct Case {
    std::vector<Scalar> values; ///< of a full 2 x 2 matrix
    PivotRule           rule;
    bool                fits, roots = true; ///< roots: of pivots that fit
  };
  const auto place = TestFixture::Place::all().back();
  auto       a     = Patterns<Scalar, typename TestFixture::Index>::regular(2, 2, 2, 1);
  set_values(a, 1, false);
  const auto factors = make_incomplete_factors(a.view(), nullptr, false, 0, place.execution).engine;
  for (const Case &c :
       {Case{{1, 1, 1, 1}, {}, false}, Case{{1, 1, 1, 1 + 1e-10}, {}, true}, Case{{1, 1, 1, 1 + 1e-10}, {1e-9, false}, false},
        Case{{1e-20, 0, 0, 1}, {1e-14, false}, false}, Case{{1e-20, 0, 0, 1}, {1e-14, true}, true},
        Case{{1e-20, 1, 0, 1}, {1e-14, true}, false}, Case{{1, 0, 0, -1}, {0, false, false}, true, false},
        Case{{1, 0, 0, -1}, {0, false, true}, false}, Case{{std::nan(""), 0, 0, 1}, {}, false}}) {
    a.val = c.values;
    EXPECT_EQ(c.fits, factors->factor(a.view(), c.rule)) << c.values[0] << " .. " << c.values[3];
    EXPECT_TRUE(!c.fits || c.roots == factors->has_roots()) << c.values[0] << " .. " << c.values[3];
  }
}

REGISTER_TYPED_TEST_SUITE_P(FactorsTest, AreThoseOfEliminationRowByRow, AreMadeOfWhatSweepsHaveFound, HaveTheSameBitsEachTime,
                            ReportPivotsThatDoNotFit);

} // namespace petscspmv::test
