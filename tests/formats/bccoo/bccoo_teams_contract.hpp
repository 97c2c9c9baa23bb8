#pragma once

/// \file bccoo_teams_contract.hpp
/// What is known of bccoo's tiles for a team of threads, which are those of a device. Instantiated by
/// bccoo_teams_test.cpp for the host, where a team is one thread, and by device_bccoo_test.cpp.

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <limits>

#include "bccoo_checks.hpp"
#include "core/runtime.hpp"

namespace petscspmv::test {

template <class F> class BccooTeams : public BccooFixture<F> {
protected:
  using typename BccooFixture<F>::Scalar;
  using typename BccooFixture<F>::Index;
  using typename BccooFixture<F>::Matrix;
  using typename BccooFixture<F>::P;
  using typename BccooFixture<F>::Problem;

  void SetUp() override
  {
    if constexpr (is_on_device<F>)
      if (!runtime::has_device()) GTEST_SKIP() << runtime::device_problem();
  }

  static F made(const Matrix &a, const Settings &settings = {}) { return F(a.view(), bccoo_options(settings), {MemorySpace::host, 2}); }

  static Settings shaped(std::int64_t h, std::int64_t w, Settings settings = {})
  {
    settings.insert(settings.end(), {{"block_rows", h}, {"block_columns", w}});
    return settings;
  }

  /// Bytes of the array that says where values are from; 0 if there is none.
  static std::size_t source_bytes(const F &format)
  {
    for (const auto &array : format.footprint().arrays)
      if (array.name == "sources of values") return array.bytes;
    return 0;
  }

  /// Rows of all kinds: none of which side divides the sizes, some empty ones, and one that is longer than a tile of
  /// small blocks.
  static Matrix mixed()
  {
    return P::random(1139, 931, 41, [](auto r, auto &random) {
      return r == 77 ? 900 : r % 9 == 4 || r / 100 == 3 ? 0 : random.integer(0, 14);
    });
  }
  /// Three unknowns a node, and two rows of blocks over many tiles.
  static Matrix long_rows()
  {
    const Index    nodes = 4000;
    Random<double> random(81);
    Matrix         a;
    a.cols = 3 * nodes;
    for (Index node = 0; node < nodes; ++node) {
      std::vector<Index> columns;
      const Index        n = node % 2000 == 77 ? 3000 : node % 11, step = node % 2000 == 77 ? 1 : 7;
      for (auto k = static_cast<Index>(random.integer(0, 900)); std::ssize(columns) < 3 * n; k += step)
        for (Index i = 0; i < 3; ++i) columns.push_back(3 * k + i);
      for (int r = 0; r < 3; ++r) a.add_row(columns);
    }
    return a;
  }
  /// A row that has each of its columns twice, and three times where it is a multiple of five; every other one
  /// backwards.
  static Matrix repeated_columns()
  {
    return P::by_rows(300, 400, [](Index r) {
      std::vector<Index> row;
      for (Index c = r; c < r + 9; c += 1 + r % 3) row.insert(row.end(), c % 5 == 0 ? 3 : 2, c);
      if (r % 2) std::reverse(row.begin(), row.end());
      return row;
    });
  }
};

TYPED_TEST_SUITE_P(BccooTeams);

// Every shape with every coding of values, in turns, with values of which there are few and many.
TYPED_TEST_P(BccooTeams, MultipliesInEveryShapeAndCoding)
{
  std::int64_t turn = 0;
  for (const auto &pattern : {TestFixture::mixed, TestFixture::repeated_columns})
    for (const Mode mode : {Mode::exact, Mode::rounded}) {
      const typename TestFixture::Problem problem(pattern(), mode);
      for (std::int64_t h = 1; h <= 8; ++h)
        for (std::int64_t w = 1; w <= 8; ++w, ++turn) {
          const Settings settings = TestFixture::shaped(h, w, {{"values", turn % 7}});
          auto           format   = TestFixture::made(problem.a, settings);
          ASSERT_EQ(products_wrong(format, problem), "") << describe(bccoo_options(settings));
        }
    }
}

// A NaN or an infinity meets the zeros of blocks in every row and column of them.
TYPED_TEST_P(BccooTeams, ZerosInBlocksMeetNoInfinity)
{
  typename TestFixture::Problem problem(TestFixture::mixed(), Mode::exact);
  for (auto &c : problem.cases) {
    for (std::size_t i = 0; i < c.x.size(); i += 7)
      c.x[i] = i % 2 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    problem.refer(c);
  }
  for (std::int64_t h = 1; h <= 8; ++h)
    for (const std::int64_t w : {h, 9 - h}) {
      auto format = TestFixture::made(problem.a, TestFixture::shaped(h, w));
      ASSERT_EQ(products_wrong(format, problem), "") << h << " x " << w;
    }
}

// Block rows over several tiles, which end anywhere, in two launches: the same bits each time.
TYPED_TEST_P(BccooTeams, BlockRowsOverManyTiles)
{
  const typename TestFixture::Problem problem(TestFixture::long_rows(), Mode::rounded);
  for (const std::int64_t side : {1, 2, 3, 6}) {
    auto format = TestFixture::made(problem.a, TestFixture::shaped(side, side));
    if (side == 3) { EXPECT_EQ(fact(format, "cut rows"), "6"); }
    ASSERT_EQ(products_wrong(format, problem), "") << side;
    const auto expected = problem.multiply(format, problem.cases[0], 1.0, 0.0);
    for (int k = 0; k < 50; ++k) ASSERT_TRUE(same_bits(expected, problem.multiply(format, problem.cases[0], 1.0, 0.0)));
  }
}

// Block rows that end where lanes and tiles do, and rows without entries between, before and after them.
TYPED_TEST_P(BccooTeams, BlockRowsOfAnyLength)
{
  using P = typename TestFixture::P;
  for (const int length : {1, 3, 4, 5, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1300}) {
    const auto row = [length](auto r) { return P::range(r, r / 3 % 7 == 3 ? r : r + (r / 3 % 5 == 1 ? length : length / 3)); };
    const typename TestFixture::Problem problem(P::by_rows(60, 1500, row), Mode::exact);
    for (const std::int64_t side : {1, 2, 3, 5}) {
      auto format = TestFixture::made(problem.a, TestFixture::shaped(side, side));
      ASSERT_EQ(products_wrong(format, problem), "") << length << ", " << side;
    }
  }
}

// Values of few kinds become many, which a table cannot keep, and few again. With the first new
// ones comes an array that says where they are from, and it is the last.
TYPED_TEST_P(BccooTeams, NewValuesAreGathered)
{
  using Problem = typename TestFixture::Problem;
  for (const auto &pattern : {TestFixture::long_rows, TestFixture::mixed, TestFixture::repeated_columns}) {
    const Problem few(pattern(), Mode::exact), many(pattern(), Mode::rounded, 2);
    for (const bool coded : {false, true})
      for (const std::int64_t side : {1, 3, 4, 7}) {
        auto format = TestFixture::made(
          few.a, TestFixture::shaped(side, side, {{values_option, coded ? std::optional(Coding::table256) : std::nullopt}}));
        ASSERT_EQ(products_wrong(format, few), "") << side;
        EXPECT_EQ(TestFixture::source_bytes(format), 0U);
        for (const Problem *now : {&many, &few, &many}) {
          format.refresh(now->a.view());
          ASSERT_EQ(products_wrong(format, *now), "") << side;
          EXPECT_GE(TestFixture::source_bytes(format), now->a.col.size() * sizeof(typename TestFixture::Index));
          EXPECT_EQ(fact(format, "values"), "raw");
        }
      }
  }
}

TYPED_TEST_P(BccooTeams, ChoosesSquares)
{
  for (int b = 1; b <= 4; ++b) {
    const std::string side   = std::to_string(b);
    const auto        format = TestFixture::made(TestFixture::valued(TestFixture::P::box(30, 1, 1, b)));
    EXPECT_EQ(shape_of(format), side + " x " + side);
    EXPECT_EQ(fact(format, "zeros in blocks that are no entries"), "0 (0 % of the values)");
  }
}

// On a device values are in a table only if that is asked for.
TYPED_TEST_P(BccooTeams, ValuesAreAsTheyAre)
{
  auto a = TestFixture::P::box(30, 1, 1, 3);
  a.val.assign(a.col.size(), 0.1);
  EXPECT_EQ(fact(TestFixture::made(a), "values"), "raw");
  EXPECT_EQ(fact(TestFixture::made(a, {{values_option, Coding::table256}}), "values"), "table of 256");
}

REGISTER_TYPED_TEST_SUITE_P(BccooTeams, MultipliesInEveryShapeAndCoding, ZerosInBlocksMeetNoInfinity, BlockRowsOverManyTiles,
                            BlockRowsOfAnyLength, NewValuesAreGathered, ChoosesSquares, ValuesAreAsTheyAre);

} // namespace petscspmv::test
