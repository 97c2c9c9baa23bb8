// What is known of bccoo alone on the device.

#include <limits>

#include "bccoo_checks.hpp"
#include "device_problems.hpp"

namespace petscspmv::test {
namespace {

template <class F> class BccooOnDevice : public BccooFixture<F> {
protected:
  using typename BccooFixture<F>::Scalar;
  using typename BccooFixture<F>::Index;
  using typename BccooFixture<F>::Matrix;
  using typename BccooFixture<F>::P;
  using typename BccooFixture<F>::Problem;
  using Format = OnDevice<F>;

  void SetUp() override
  {
    if (!runtime::has_device()) GTEST_SKIP() << runtime::device_problem();
  }

  static Format on_device(const Matrix &a, const Settings &settings) { return Format(a.view(), bccoo_options(settings), {}); }

  static Settings shaped(std::int64_t h, std::int64_t w, Settings settings = {})
  {
    settings.insert(settings.end(), {{"block_rows", h}, {"block_columns", w}});
    return settings;
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
};

TYPED_TEST_SUITE(BccooOnDevice, BccooTypes, FormatName);

// Every shape with every coding of values and columns and every word of flags, in turns, where nothing is rounded; and
// every entry comes back.
TYPED_TEST(BccooOnDevice, IsExactForEveryShapeAndCoding)
{
  using Problem     = typename TestFixture::Problem;
  std::int64_t turn = 0;
  for (const Mode mode : {Mode::exact, Mode::rounded}) {
    const Problem problem({"", TestFixture::mixed}, mode);
    for (std::int64_t h = 1; h <= 8; ++h)
      for (std::int64_t w = 1; w <= 8; ++w)
        for (int k = 0; k < (h == w ? 7 : 2); ++k, ++turn) {
          const Settings settings =
            TestFixture::shaped(h, w, {{"values", turn % 7}, {"index", turn % 4}, {"flags", turn / 2 % 4}, {"sums", turn % 3}});
          auto format = TestFixture::on_device(problem.a, settings);
          SCOPED_TRACE(describe(bccoo_options(settings)));
          ASSERT_EQ(products_wrong(format, problem), "");
          if (k == 0) { ASSERT_EQ(block_decoding_error(format.format(), problem.a.view()), ""); }
        }
  }
}

// All that is independent of each other, in all combinations, where nothing is rounded: shapes, words of flags, slices,
// codings of values and of columns. Sums are the same bits wherever they wait, where they are rounded, too. One type of
// numbers stands for all, which take turns above.
class BccooCombinationsOnDevice : public BccooFixture<Bccoo<double, std::int32_t>> {
protected:
  using Format = OnDevice<Bccoo<double, std::int32_t>>;

  void SetUp() override
  {
    if (!runtime::has_device()) GTEST_SKIP() << runtime::device_problem();
  }
};

TEST_F(BccooCombinationsOnDevice, AreExactAndTheSameBitsForBothPlacesOfSums)
{
  for (const auto &[flags, blocks] : {std::pair(1, 300), std::pair(2, 600), std::pair(3, 1100)}) {
    const NamedMatrix<double, std::int32_t> little{"", [n = blocks] { return BccooFixture<Bccoo<double, std::int32_t>>::little(n); }};
    const Problem                           exact(little, Mode::exact), rounded(little, Mode::rounded);
    const std::vector<Axis>                 axes = {axis("block_rows", 1, 8), axis("block_columns", 1, 8),         {"slices", {1, 2, 7}},
                                                    {"index", {0, index_32}}, axis("values", 0, block_values_raw), {"flags", {flags}}};
    int                                     turn = 0;
    for_each_combination(axes, [&](Settings settings) {
      const Problem &problem = turn++ % 3 ? exact : rounded;
      const auto    &c       = problem.cases[0];
      settings.emplace_back("sums", 1);
      Format kept(problem.a.view(), bccoo_options(settings), {});
      settings.back().second = 2;
      Format cached(problem.a.view(), bccoo_options(settings), {});
      SCOPED_TRACE(describe(bccoo_options(settings)));
      ASSERT_EQ(fact(kept.format(), "sums of block rows wait in"), "registers");
      ASSERT_EQ(fact(cached.format(), "sums of block rows wait in"), "shared memory");
      ASSERT_EQ(problem.wrong(kept, c, 0.5, -1.0), "");
      ASSERT_TRUE(same_bits(Problem::multiply(kept, c, 1.0, 0.0), Problem::multiply(cached, c, 1.0, 0.0)));
    });
  }
}

// A NaN or an infinity meets the zeros of blocks in every row and column of them.
TYPED_TEST(BccooOnDevice, ZerosInBlocksMeetNoInfinity)
{
  typename TestFixture::Problem problem({"", TestFixture::mixed}, Mode::exact);
  for (auto &c : problem.cases) {
    for (std::size_t i = 0; i < c.x.size(); i += 7)
      c.x[i] = i % 2 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    problem.refer(c);
  }
  for (std::int64_t h = 1; h <= 8; ++h)
    for (const std::int64_t w : {h, 9 - h})
      for (const std::int64_t flags : {1, 3})
        for (const std::int64_t sums : {1, 2}) {
          auto format = TestFixture::on_device(problem.a, TestFixture::shaped(h, w, {{"flags", flags}, {"sums", sums}}));
          ASSERT_EQ(products_wrong(format, problem), "") << h << " x " << w << ", " << sums;
        }
}

// Block rows over several tiles, which end anywhere, in two launches: the same bits each time.
TYPED_TEST(BccooOnDevice, BlockRowsOverManyTiles)
{
  using Problem = typename TestFixture::Problem;
  const Problem problem({"", TestFixture::long_rows}, Mode::rounded);
  for (const std::int64_t side : {1, 2, 3, 6})
    for (const std::int64_t flags : {1, 2, 3}) {
      auto format = TestFixture::on_device(problem.a, TestFixture::shaped(side, side, {{"flags", flags}}));
      auto kept   = TestFixture::on_device(problem.a, TestFixture::shaped(side, side, {{"flags", flags}, {"sums", 1}}));
      ASSERT_EQ(products_wrong(kept, problem), "") << side;
      if (side == 3) { EXPECT_EQ(fact(format.format(), "block rows that are cut"), "2"); }
      ASSERT_EQ(products_wrong(format, problem), "") << side;
      const auto expected = Problem::multiply(format, problem.cases[0], 1.0, 0.0);
      for (int k = 0; k < 50; ++k) ASSERT_TRUE(same_bits(expected, Problem::multiply(format, problem.cases[0], 1.0, 0.0)));
    }
}

// Values of few kinds become many, which their coding cannot keep, and few again, from the host and from the device;
// the transpose follows.
TYPED_TEST(BccooOnDevice, RefreshTakesValuesFromWhereverTheyAre)
{
  using Problem = typename TestFixture::Problem;
  using Scalar  = typename TestFixture::Scalar;
  const Problem few({"", TestFixture::long_rows}, Mode::exact), many({"", TestFixture::long_rows}, Mode::rounded, 2);
  for (const std::int64_t side : {1, 3, 4}) {
    auto format = TestFixture::on_device(few.a, TestFixture::shaped(side, side));
    ASSERT_EQ(products_wrong(format, few), "");
    for (const Problem *now : {&many, &few, &many}) {
      for (const bool from_device : {false, true}) {
        const DeviceVector<Scalar> there(now->a.val);
        auto                       view = now->a.view();
        if (from_device) view.val = there.data();
        format.refresh(view);
        ASSERT_EQ(block_decoding_error(format.format(), now->a.view()), "");
        ASSERT_EQ(products_wrong(format, *now), "");
      }
    }
  }
}

// Where values that were alike still are, each code stands for the new one: nothing is built anew.
TYPED_TEST(BccooOnDevice, ValuesKeepTheirCodes)
{
  using Problem = typename TestFixture::Problem;
  using Scalar  = typename TestFixture::Scalar;
  for (const Mode mode : {Mode::exact, Mode::rounded}) {
    const Problem problem({"", TestFixture::long_rows}, mode);
    for (const std::int64_t side : {1, 3, 4}) {
      auto                       format = TestFixture::on_device(problem.a, TestFixture::shaped(side, side));
      const auto                 now    = scaled(problem.a, 2); // zeros stay what pads blocks
      const DeviceVector<Scalar> there(now.val);
      auto                       view = now.view();
      view.val                        = there.data();
      format.refresh(view);
      EXPECT_EQ(block_decoding_error(format.format(), now.view()), "");
      EXPECT_EQ(fact(format.format(), "refreshed on the device"), "1 of 1 times") << fact(format.format(), "tiles");
    }
  }
}

// Vectors that begin where nothing but a number is aligned.
TYPED_TEST(BccooOnDevice, VectorsAtOddAddresses)
{
  using Problem = typename TestFixture::Problem;
  using Scalar  = typename TestFixture::Scalar;
  const Problem problem({"", TestFixture::long_rows}, Mode::rounded);
  const auto   &c = problem.cases[0];
  for (const std::int64_t side : {2, 3, 4}) {
    auto       format   = TestFixture::on_device(problem.a, TestFixture::shaped(side, side));
    const auto expected = Problem::multiply(format, c, 1.0, 0.0);
    for (std::size_t odd : {1, 2, 3}) {
      std::vector<Scalar> x(odd, Scalar(std::numeric_limits<double>::quiet_NaN()));
      x.insert(x.end(), c.x.begin(), c.x.end());
      const DeviceVector<Scalar> xd(x), yd(std::vector<Scalar>(expected.size() + odd, Scalar(-7.0)));
      format.format().multiply(Operation::none, 1.0, xd.data() + odd, 0.0, yd.data() + odd);
      auto y = yd.get();
      for (std::size_t i = 0; i < odd; ++i) EXPECT_EQ(y[i], Scalar(-7.0));
      y.erase(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(odd));
      EXPECT_TRUE(same_bits(expected, y)) << side;
    }
  }
}

// Slices whose sums are added at the end; x and y are used as without, zeros meet no infinity, and new values are taken
// over.
TYPED_TEST(BccooOnDevice, VerticalSlices)
{
  using Problem     = typename TestFixture::Problem;
  std::int64_t turn = 0;
  for (const auto &pattern : {TestFixture::mixed, TestFixture::long_rows}) {
    Problem exact({"", pattern}, Mode::exact), rounded({"", pattern}, Mode::rounded);
    for (auto &c : exact.cases) {
      c.x[c.x.size() / 2] = std::numeric_limits<double>::infinity();
      exact.refer(c);
    }
    for (std::int64_t h = 1; h <= 6; ++h)
      for (const std::int64_t slices : {2, 5, 32}) {
        const Settings settings =
          TestFixture::shaped(h, turn % 2 ? h : 9 - h, {{"slices", slices}, {"values", turn % 7}, {"flags", turn % 4}, {"sums", turn % 3}});
        auto format = TestFixture::on_device(rounded.a, settings);
        ++turn;
        SCOPED_TRACE(describe(bccoo_options(settings)));
        EXPECT_EQ(fact(format.format(), "slices"), std::to_string(slices));
        ASSERT_EQ(products_wrong(format, rounded), "");
        format.refresh(exact.a.view());
        ASSERT_EQ(products_wrong(format, exact), "");
        ASSERT_EQ(block_decoding_error(format.format(), exact.a.view()), "");
      }
  }
}

TYPED_TEST(BccooOnDevice, SaysWhatThereIs)
{
  const auto a      = TestFixture::grid(40, 3);
  auto       format = TestFixture::on_device(a, {{"slices", 4}});
  EXPECT_EQ(shape_of(format.format()), "3 x 3");
  EXPECT_EQ(fact(format.format(), "slices"), "4");
  EXPECT_EQ(fact(format.format(), "bits of a word of flags"), "8");
}

} // namespace
} // namespace petscspmv::test
