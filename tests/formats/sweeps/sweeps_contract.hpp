#pragma once

/// \file sweeps_contract.hpp
/// What sweeps are tested for, wherever they are done: against the plainest loop in long double, and exactly.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "formats/at_place.hpp"
#include "impls/sweeps/sweeps.hpp"
#include "support/problem.hpp"
#include "swept_matrices.hpp"

namespace petscspmv::test {

/// Random values, with a diagonal that outweighs the rest of its row twice: no error grows in a sweep.
template <class Scalar, class Index> void set_dominant(CsrMatrix<Scalar, Index> &a, unsigned seed)
{
  std::vector<double> rest(static_cast<std::size_t>(a.rows), 4); // no shift takes it away
  set_values(a, seed, false);
  for (auto [r, c, v] : a.entries()) rest[r] += c == r ? 0 : 2 * std::abs(v);
  for (auto [r, c, v] : a.entries())
    if (c == r) v = r % 2 ? rest[r] : -rest[r];
}

/// Eisenstat's trick, or a product with the upper triangle, in an order.
template <class Scalar, class Index>
std::vector<Extended> by_triangles(const CsrMatrix<Scalar, Index> &a, const std::vector<Index> &order, const Relaxation &what,
                                   const std::vector<Scalar> &b)
{
  const auto            place = places(order);
  std::vector<Extended> diagonal(b.size()), x(b.size()), t(b.size());
  for (Index r = 0; r < a.rows; ++r) x[r] = extended(b[r]);
  for (auto [r, c, v] : a.entries())
    if (c == r) diagonal[r] = extended(v);
  const auto rest = [&](bool lower, Index r, const std::vector<Extended> &of) {
    Extended sum = 0;
    for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k)
      if (a.col[k] != r && (place[a.col[k]] < place[r]) == lower) sum += times(extended(a.val[k]), of[a.col[k]]);
    return sum;
  };
  const Extended omega(what.omega), shift(what.shift);
  if (what.what == Relaxing::upper) {
    for (const Index r : order) t[r] = rest(false, r, x);
    for (const Index r : order) t[r] += (shift + diagonal[r]) / omega * x[r];
    return t;
  }
  for (auto r = order.rbegin(); r != order.rend(); ++r) x[*r] = omega * (x[*r] - rest(false, *r, x)) / (shift + diagonal[*r]);
  for (const Index r : order) {
    t[r] = extended(b[r]) - (Extended(2) / omega - Extended(1)) * diagonal[r] * x[r];
    t[r] = omega * (t[r] - rest(true, r, t)) / (shift + diagonal[r]);
  }
  for (const Index r : order) x[r] += t[r];
  return x;
}

/// x after the sweeps, row by row in an order; if it is empty, the rows'.
template <class Scalar, class Index>
std::vector<Extended> swept(const CsrMatrix<Scalar, Index> &a, std::vector<Index> order, const Relaxation &what,
                            const std::vector<Scalar> &b, const std::vector<Scalar> &guess)
{
  if (order.empty()) order = natural<Index>(b.size());
  std::vector<Extended> x(b.size());
  if (what.what != Relaxing::sweeps) return by_triangles(a, order, what, b);
  const auto improve = [&](Index r) {
    Extended rest = extended(b[r]), diagonal = 0;
    for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k)
      if (a.col[k] == r) diagonal = extended(a.val[k]);
      else rest -= times(extended(a.val[k]), x[a.col[k]]);
    x[r] = Extended(1 - what.omega) * x[r] + Extended(what.omega) * rest / (Extended(what.shift) + diagonal);
  };
  if (!what.zero_guess)
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = extended(guess[i]);
  for (int i = 0; i < what.iterations; ++i) {
    if (what.forward) std::for_each(order.begin(), order.end(), improve);
    if (what.backward) std::for_each(order.rbegin(), order.rend(), improve);
  }
  return x;
}

/// `Place::relax(sweeps, what, b, x)` does it with host vectors, and returns x; `Place::execution` is where they are
/// made.
template <class Scalar, class Index, class Place> class SweepsProblem {
public:
  using Matrix = CsrMatrix<Scalar, Index>;
  using Vector = std::vector<Scalar>;
  using Type   = Sweeps<Scalar, Index>;

  explicit SweepsProblem(Matrix matrix, BlockOrder<Index> its_order = {}) : a(std::move(matrix)), order(std::move(its_order)) { }

  std::unique_ptr<Type> make(const Place &place) const
  {
    return make_sweeps(a.view(), order.row.empty() ? nullptr : &order, place.execution).engine;
  }

  /// Empty if this is what has to come out.
  std::string wrong(const Place &place, Type &sweeps, const Relaxation &what) const
  {
    const auto   n = static_cast<std::size_t>(a.rows);
    const Vector b = make_vector<Scalar>(n, 5, Mode::rounded), guess = make_vector<Scalar>(n, 6, Mode::rounded);
    const Vector x     = place.relax(sweeps, what, b, what.zero_guess ? Vector(n, std::numeric_limits<double>::quiet_NaN()) : guess);
    const auto   right = swept(a, order.row, what, b, guess);
    for (std::size_t i = 0; i < n; ++i) {
      const double entries = static_cast<double>(a.row_ptr[i + 1] - a.row_ptr[i]) + 8;
      if (const auto error = static_cast<double>(std::abs(extended(x[i]) - right[i]));
          !(error <= 8 * entries * what.iterations * std::numeric_limits<double>::epsilon()))
        return "entry " + std::to_string(i) + " of " + std::to_string(n) + " is off by " + std::to_string(error);
    }
    return "";
  }

  Matrix            a;
  BlockOrder<Index> order; ///< without rows: their own
};

/// All that a call can ask for.
inline std::vector<Relaxation> all_relaxations()
{
  std::vector<Relaxation> all;
  for (const bool zero : {true, false})
    for (const auto &[forward, backward] : {std::pair(true, true), {true, false}, {false, true}})
      for (const int iterations : {1, 2, 3})
        for (const auto &[omega, shift] : {std::pair(1.0, 0.0), {1.3, 0.0}, {0.75, 0.0}, {1.0, 2.0}, {1.2, 0.5}})
          all.push_back({forward, backward, zero, iterations, omega, shift});
  for (const Relaxing what : {Relaxing::eisenstat, Relaxing::upper})
    for (const auto &[omega, shift] : {std::pair(1.0, 0.0), {1.3, 0.0}, {0.75, 2.0}})
      all.push_back({true, true, true, 1, omega, shift, what});
  return all;
}

inline std::string text(const Relaxation &r)
{
  return std::string(r.what == Relaxing::eisenstat ? "Eisenstat "
                     : r.what == Relaxing::upper   ? "upper "
                                                   : "") +
         (r.forward ? "forward " : "") + (r.backward ? "backward " : "") + (r.zero_guess ? "from zero, " : "from x, ") +
         std::to_string(r.iterations) + " iterations, omega " + std::to_string(r.omega) + ", shift " + std::to_string(r.shift);
}

/// With a diagonal of ones and small integers nothing is rounded where the result is small integers: b is made for it.
template <class Scalar, class Index, class Place> void expect_exact(const Place &place, CsrMatrix<Scalar, Index> a)
{
  using Vector = std::vector<Scalar>;
  set_values(a, 3, true);
  for (auto [r, c, v] : a.entries())
    if (c == r) v = 1;
  const Vector right    = make_vector<Scalar>(static_cast<std::size_t>(a.rows), 4, Mode::exact);
  const auto   multiply = [&a](bool lower, const Vector &x) {
    Vector y = x;
    for (auto [r, c, v] : a.entries())
      if (lower ? c < r : c > r) y[r] += v * x[c];
    return y;
  };
  const auto   sweeps = make_sweeps(a.view(), nullptr, place.execution).engine;
  const Vector b[]    = {multiply(true, right), multiply(false, right), multiply(true, multiply(false, right))};
  for (int k = 0; k < 3; ++k) {
    Relaxation what;
    what.zero_guess = true;
    what.forward    = k != 1;
    what.backward   = k != 0;
    EXPECT_EQ(right, place.relax(*sweeps, what, b[k], Vector(right.size(), -9))) << text(what);
  }
}

template <class T> class SweepsTest : public ::testing::Test {
public:
  using Scalar  = typename T::Scalar;
  using Index   = typename T::Index;
  using Place   = typename T::Place;
  using Problem = SweepsProblem<Scalar, Index, Place>;

  void SetUp() override
  {
    if (const std::string why = Place::missing(); !why.empty()) GTEST_SKIP() << why;
  }

  /// Calls check(name, matrix) for every pattern but the largest, with values of no meaning.
  template <class Check> static void each_pattern(const Check &check)
  {
    for (const auto &named : matrices<Scalar, Index>())
      if (!named.large) {
        SCOPED_TRACE(named.name);
        check(swept_pattern(named.pattern()));
      }
  }
};
TYPED_TEST_SUITE_P(SweepsTest);

// In the rows' own order, in no order, and by blocks; with new values, too; and they are the first place's bit for bit.
TYPED_TEST_P(SweepsTest, AreThoseOfThePlainestLoop)
{
  using Index      = typename TestFixture::Index;
  const auto all   = all_relaxations();
  const auto first = TestFixture::Place::all().front();
  for (const auto &place : TestFixture::Place::all())
    this->each_pattern([&](auto a) {
      set_dominant(a, 1);
      const auto view  = a.view();
      auto       after = a;
      set_dominant(after, 2);
      for (const BlockOrder<Index> &order : {BlockOrder<Index>{}, {shuffled(a.rows), {}, {}}, block_order(view, view.val, Index(1), {})}) {
        const typename TestFixture::Problem problem(a, order);
        const auto                          sweeps = problem.make(place), others = problem.make(first);
        const auto b = make_vector<typename TestFixture::Scalar>(static_cast<std::size_t>(a.rows), 8, Mode::rounded);
        for (std::size_t k = order.row.empty() ? 0 : 1; k < all.size(); k += order.row.empty() ? 1 : 3) {
          ASSERT_EQ(problem.wrong(place, *sweeps, all[k]), "") << text(all[k]);
          ASSERT_TRUE(same_bits(first.relax(*others, all[k], b, b), place.relax(*sweeps, all[k], b, b))) << text(all[k]);
        }
        sweeps->refresh(after.view());
        ASSERT_EQ((typename TestFixture::Problem(after, order).wrong(place, *sweeps, {true, true, true})), "");
      }
    });
}

TYPED_TEST_P(SweepsTest, AreExactWhereNothingIsRounded)
{
  for (const auto &place : TestFixture::Place::all()) this->each_pattern([&place](const auto &a) { expect_exact(place, a); });
}

TYPED_TEST_P(SweepsTest, FindZerosOnTheDiagonal)
{
  for (const auto &place : TestFixture::Place::all())
    this->each_pattern([&place](auto a) {
      if (a.rows == 0) return;
      set_dominant(a, 1);
      const typename TestFixture::Problem before(a);
      const auto                          sweeps = before.make(place);
      EXPECT_FALSE(sweeps->has_zero_on_diagonal());
      a.val[static_cast<std::size_t>(std::find(a.col.begin() + a.row_ptr[a.rows - 1], a.col.end(), a.rows - 1) - a.col.begin())] = 0;
      sweeps->refresh(a.view());
      EXPECT_TRUE(sweeps->has_zero_on_diagonal());
      sweeps->refresh(before.a.view());
      EXPECT_FALSE(sweeps->has_zero_on_diagonal());
    });
}

TYPED_TEST_P(SweepsTest, HaveTheSameBitsEachTime)
{
  for (const auto &place : TestFixture::Place::all())
    this->each_pattern([&place](auto a) {
      set_dominant(a, 1);
      const typename TestFixture::Problem problem(a);
      const auto                          sweeps = problem.make(place), others = problem.make(TestFixture::Place::all().front());
      const auto                          b = make_vector<typename TestFixture::Scalar>(static_cast<std::size_t>(a.rows), 8, Mode::rounded);
      for (const Relaxation &what : {Relaxation{true, true, false, 2, 1.1}, Relaxation{true, false, true, 1}}) {
        const auto first = TestFixture::Place::all().front().relax(*others, what, b, b);
        for (int repeat = 0; repeat < 5; ++repeat) ASSERT_TRUE(same_bits(first, place.relax(*sweeps, what, b, b)));
      }
    });
}

// A NaN with the bits that stand for values which are not there yet.
TYPED_TEST_P(SweepsTest, NobodyWaitsForANaN)
{
  using Scalar       = typename TestFixture::Scalar;
  std::uint64_t bits = 0xfff8dead00beef01ULL;
  double        nan;
  std::memcpy(&nan, &bits, sizeof nan);
  auto a = swept_pattern(Patterns<Scalar, typename TestFixture::Index>::stencil(6));
  set_dominant(a, 1);
  for (const auto &place : TestFixture::Place::all()) {
    const auto          sweeps = make_sweeps(a.view(), nullptr, place.execution).engine;
    std::vector<Scalar> b(static_cast<std::size_t>(a.rows), Scalar(nan));
    for (const Scalar &v : place.relax(*sweeps, {true, true, true}, b, b)) EXPECT_TRUE(std::isnan(std::abs(v)));
    for (Scalar &v : b) v = 1; // and nothing of it is left
    for (const Scalar &v : place.relax(*sweeps, {true, true, true}, b, b)) EXPECT_FALSE(std::isnan(std::abs(v)));
  }
}

TYPED_TEST_P(SweepsTest, RefuseWhatTheyCannotDo)
{
  using Index = typename TestFixture::Index;
  struct Case {
    Index                           cols;
    std::vector<std::vector<Index>> rows;
    const char                     *why;
  };
  for (const Case &c : {Case{3, {{0}, {1}}, "a square matrix, and this one is 2 x 3"}, Case{2, {{0}, {0}}, "row 1 has none"},
                        Case{2, {{0, 1}, {1, 0}}, "those of row 1 do not"}, Case{2, {{0}, {1, 1}}, "those of row 1 do not"}}) {
    const auto a = Patterns<typename TestFixture::Scalar, Index>::by_rows(2, c.cols, [&c](Index r) { return c.rows[r]; });
    try {
      make_sweeps(a.view(), nullptr, TestFixture::Place::all().front().execution);
      ADD_FAILURE() << c.why;
    } catch (const FormatError &e) {
      EXPECT_NE(std::string(e.what()).find(c.why), std::string::npos) << e.what();
    }
  }
}

// A chain has as many levels as rows, and a diagonal matrix has one.
TYPED_TEST_P(SweepsTest, AreLeftToTheHostWhereTheyAreFasterThere)
{
  using P                 = Patterns<typename TestFixture::Scalar, typename TestFixture::Index>;
  constexpr int n         = 20000;
  const auto    diagonal  = P::by_rows(n, n, [](auto r) { return P::range(r, r + 1); });
  const auto    chain     = P::by_rows(n, n, [](auto r) { return P::range(r - (r > 0), r + 1); });
  const auto    execution = TestFixture::Place::all().front().execution;
  EXPECT_TRUE(make_sweeps(diagonal.view(), nullptr, execution, Making::if_faster).engine);
  KeptAnalysis<typename TestFixture::Scalar, typename TestFixture::Index> kept;
  for (const Making when : {Making::if_faster, Making::always, Making::if_faster}) { // what is kept makes no difference
    const auto made = make_sweeps(chain.view(), nullptr, execution, when, &kept);
    EXPECT_EQ(when == Making::always, made.engine != nullptr);
    for (const char *said : {"levels of rows or more, a device is slower", "-mat_spmv_sweeps blocks"})
      EXPECT_EQ(when == Making::always, made.why_not.find(said) == std::string::npos) << made.why_not;
  }
  const Facts facts = make_sweeps(chain.view(), nullptr, execution).engine->facts();
  EXPECT_NE(std::find(facts.begin(), facts.end(), std::pair<std::string, std::string>("levels of sweeps", "20000 forward, 1 backward")),
            facts.end());
}

REGISTER_TYPED_TEST_SUITE_P(SweepsTest, AreThoseOfThePlainestLoop, AreExactWhereNothingIsRounded, FindZerosOnTheDiagonal,
                            HaveTheSameBitsEachTime, NobodyWaitsForANaN, RefuseWhatTheyCannotDo, AreLeftToTheHostWhereTheyAreFasterThere);

} // namespace petscspmv::test
