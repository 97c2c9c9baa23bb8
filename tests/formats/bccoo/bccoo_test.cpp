// What is known of bccoo alone: every entry comes back as it was given, whatever the blocks, slices and codings, and
// the rows and columns around the blocks are left alone.

#include "bccoo_checks.hpp"

#include "impls/bccoo/bccoo_reader.hpp"

namespace petscspmv::test {
namespace {

template <class F> using BccooTest = BccooFixture<F>;
TYPED_TEST_SUITE(BccooTest, BccooTypes, FormatName);

/// Every shape with each of these, in turns; together they name every value of every option.
const std::vector<Settings> &others()
{
  static const std::vector<Settings> list = [] {
    std::vector<Settings>           all;
    const std::vector<std::int64_t> slices{1, 2, 3, 7, 32}, tiles{4096, 1, 40, 300};
    for (const auto values : every(values_option))
      for (const std::int64_t table : {2048, 3})
        all.push_back({{values_option, values},
                       {"slices", slices[all.size() % slices.size()]},
                       {"tile", tiles[all.size() % tiles.size()]},
                       {"table", table}});
    return all;
  }();
  return list;
}

Settings with_shape(std::int64_t h, std::int64_t w, Settings settings)
{
  settings.insert(settings.end(), {{"block_rows", h}, {"block_columns", w}});
  return settings;
}

TEST(ByWidthTest, DividesAllColumnsThatThereCanBe)
{
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  for (int w = 1; w <= bccoo::longest_side; ++w) {
    const bccoo::ByWidth by(w);
    for (std::int64_t near : {std::int64_t(0), most / 3, most / 2, most / w * w, most - 100})
      for (std::int64_t c = std::max<std::int64_t>(near - 100, 0); c <= std::min(near + 100, most); ++c) {
        ASSERT_EQ(by(c), c / w) << w;
        ASSERT_EQ(by(static_cast<std::int32_t>(c)), static_cast<std::int32_t>(c / w)) << w;
      }
  }
}

// Block rows whose rows have other columns each, near and far apart, once and repeatedly; some are longer than a tile.
TYPED_TEST(BccooTest, DecodesRowsThatAreNearAndFarApart)
{
  using Index = typename TestFixture::Index;
  for (const bool repeated : {false, true}) {
    Random<double>                        random(31);
    constexpr std::array<std::int64_t, 4> ranges{90, 3000, 40000, 600000};
    constexpr Index                       cols = 600001; // more than 16 bits count, in blocks of eight columns, too
    const auto                            a    = this->valued(TestFixture::P::by_rows(8 * 9 * 3 + 5, cols, [&](Index r) {
      const std::int64_t range = ranges[static_cast<std::size_t>(r / 72 % 4)], from = random.integer(0, cols - range - 1);
      std::vector<Index> columns;
      for (auto n = r % 7 == 2 ? 0 : random.integer(1, r % 11 == 3 ? 300 : 12); n > 0; --n)
        columns.push_back(static_cast<Index>((r % 72 < 36 ? 100 : from) + random.integer(0, range - 1)) % cols);
      std::sort(columns.begin(), columns.end());
      if (!repeated) columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
      return columns;
    }));
    for_each_combination({axis("block_rows", 1, 8), axis("block_columns", 1, 8), {"slices", {1, 3}}, {"tile", {40, 4096}}},
                         [&](const Settings &settings) {
                           auto format = this->build(a, settings);
                           ASSERT_EQ(block_decoding_error(format, a.view()), "") << describe(bccoo_options(settings));
                           format.refresh(a.view());
                           ASSERT_EQ(block_decoding_error(format, a.view()), "") << "refreshed, " << describe(bccoo_options(settings));
                         });
  }
}

// Every matrix with every shape; the other options take turns.
TYPED_TEST(BccooTest, DecodesToTheCsrMatrix)
{
  std::size_t turn = 0;
  for (const auto &named : matrices<typename TestFixture::Scalar, typename TestFixture::Index>()) {
    if (named.large) continue;
    auto a = named.pattern();
    for (std::int64_t h = 1; h <= 8; ++h)
      for (std::int64_t w = 1; w <= 8; ++w) {
        if (!named.fixed_values) set_values(a, 5, turn % 2 == 0);
        const OptionValues options = bccoo_options(with_shape(h, w, others()[turn % others().size()]));
        const TypeParam    format(a.view(), options, {MemorySpace::host, 1 + static_cast<int>(turn++ % 2)});
        ASSERT_EQ(block_decoding_error(format, a.view()), "") << named.name << ", " << describe(options);
      }
  }
}

// Every shape with every coding of values, slices and instruction set, where nothing is rounded. The
// sizes are no multiples of any side of a block, one row is longer than a tile, some are empty, and x holds NaN where
// no entry is.
TYPED_TEST(BccooTest, IsExactForEveryShapeAndCoding)
{
  const auto                          length = [](auto r, auto &random) { return r == 77 ? 120 : r % 9 == 4 ? 0 : random.integer(0, 14); };
  const typename TestFixture::Problem problem(TestFixture::P::random(139, 131, 41, length), Mode::exact);
  for (const std::int64_t isa : instruction_sets<TypeParam>())
    for (std::int64_t h = 1; h <= 8; ++h)
      for (std::int64_t w = 1; w <= 8; ++w)
        for (Settings settings : others()) {
          settings.push_back({"isa", isa});
          const OptionValues options = bccoo_options(with_shape(h, w, settings));
          TypeParam          format(problem.a.view(), options, {MemorySpace::host, 1});
          ASSERT_EQ(problem.wrong(format, problem.cases[0], 1.0, 0.0), "") << describe(options);
        }
}

// All that is independent of each other, in all combinations: shapes, slices and codings of values. Codings
// that the values do not allow become others, so that there are values of both kinds; threads and instruction sets,
// which the tests above go through, take turns.
TYPED_TEST(BccooTest, IsExactForEveryCombination)
{
  using Problem = typename TestFixture::Problem;
  const Problem           few(TestFixture::little(40), Mode::exact), many(TestFixture::little(40), Mode::rounded);
  const auto              isa  = instruction_sets<TypeParam>();
  int                     turn = 0;
  const std::vector<Axis> axes = {
    axis("block_rows", 1, 8), axis("block_columns", 1, 8), {"slices", {1, 2, 7}}, axis("values", 0, values_option.max), {"tile", {40}}};
  for_each_combination(axes, [&](Settings settings) {
    settings.emplace_back("isa", isa[static_cast<std::size_t>(turn) % isa.size()]);
    const Problem     &problem = turn % 5 ? few : many;
    const OptionValues options = bccoo_options(settings);
    TypeParam          format(problem.a.view(), options, {MemorySpace::host, 1 + turn++ % 2});
    ASSERT_EQ(problem.wrong(format, problem.cases[0], 1.0, 0.0), "") << describe(options);
  });
  auto cut = this->build(few.a, {{"block_rows", 8}, {"block_columns", 8}, {"tile", 40}});
  EXPECT_NE(fact(cut, "block rows that are cut"), "0");
}

// The same products with full blocks, where no mask is needed.
TYPED_TEST(BccooTest, IsExactForFullBlocks)
{
  for (const std::int64_t isa : instruction_sets<TypeParam>())
    for (std::int64_t b = 1; b <= 8; ++b) {
      const typename TestFixture::Problem problem(TestFixture::P::box(6, 1, 1, b), Mode::exact);
      for (Settings settings : others()) {
        settings.push_back({"isa", isa});
        const OptionValues options = bccoo_options(with_shape(b, b, settings));
        TypeParam          format(problem.a.view(), options, {MemorySpace::host, 2});
        ASSERT_EQ(fact(format, "zeros in blocks that are no entries"), "0 (0 % of the values)");
        ASSERT_EQ(products_wrong(format, problem), "") << describe(options);
      }
    }
}

TYPED_TEST(BccooTest, RefreshEqualsBuildingAnew)
{
  using Problem         = typename TestFixture::Problem;
  const auto    pattern = TestFixture::P::random(200, 90, 43, [](auto r, auto &random) { return r == 50 ? 90 : random.integer(0, 12); });
  const Problem before(pattern, Mode::exact, 1), after(pattern, Mode::rounded, 2);
  for (const auto &[h, w] : {std::pair(1, 1), std::pair(3, 3), std::pair(2, 4), std::pair(8, 5)})
    for (const Settings &settings : others()) {
      const OptionValues options = bccoo_options(with_shape(h, w, settings));
      TypeParam          format(before.a.view(), options, {MemorySpace::host, 2}), fresh(after.a.view(), options, {MemorySpace::host, 2});
      format.refresh(after.a.view()); // from few values to many: tables do not hold them
      ASSERT_EQ(block_decoding_error(format, after.a.view()), "") << describe(options);
      const auto &c = after.cases[0];
      ASSERT_TRUE(same_bits(Problem::multiply(format, c, 1.0, 0.0), Problem::multiply(fresh, c, 1.0, 0.0))) << describe(options);
      format.refresh(before.a.view()); // and back
      ASSERT_EQ(block_decoding_error(format, before.a.view()), "") << describe(options);
    }
}

// A NaN or an infinity meets the zeros of blocks in every row and column of them.
TYPED_TEST(BccooTest, ZerosInBlocksMeetNoInfinity)
{
  using P = typename TestFixture::P;
  typename TestFixture::Problem problem(P::random(60, 50, 47, [](auto, auto &random) { return random.integer(0, 5); }), Mode::exact);
  for (auto &c : problem.cases) {
    for (std::size_t i = 0; i < c.x.size(); i += 3)
      c.x[i] = i % 2 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    problem.refer(c);
  }
  for (std::int64_t h = 1; h <= 8; ++h)
    for (std::int64_t w = 1; w <= 8; ++w)
      for (const std::int64_t tile : {4096, 1, 64}) { // also in parts of block rows
        const OptionValues options = bccoo_options({{"block_rows", h}, {"block_columns", w}, {"tile", tile}});
        TypeParam          format(problem.a.view(), options, {MemorySpace::host, 1});
        ASSERT_EQ(products_wrong(format, problem), "") << describe(options);
      }
}

// An explicit zero of the matrix is an entry: zero times NaN is NaN, as in AIJ.
TYPED_TEST(BccooTest, ZerosOfTheMatrixAreEntries)
{
  using Scalar = typename TestFixture::Scalar;
  typename TestFixture::Matrix a;
  a.cols = 4;
  a.add_row({0, 1});
  a.add_row({0});
  a.val[1]                   = 0;
  auto                format = this->build(a, {{"block_rows", 2}, {"block_columns", 2}});
  const Scalar        nan    = std::numeric_limits<double>::quiet_NaN();
  std::vector<Scalar> x{1, nan, nan, nan}, y(2);
  format.multiply(Operation::none, 1.0, x.data(), 0.0, y.data());
  EXPECT_TRUE(y[0] != y[0]);
  EXPECT_EQ(y[1], Scalar(1));
  EXPECT_EQ(fact(format, "zeros in blocks that are no entries"), "1 (25 % of the values)");
  EXPECT_EQ(block_decoding_error(format, a.view()), "");
}

TYPED_TEST(BccooTest, GivesTheSameBitsForAnyNumberOfThreads)
{
  const auto problem = this->uneven_rows();
  for (const std::int64_t slices : {1, 5})
    for (const std::int64_t tile : {64, 4096})
      this->expect_same_bits_with_threads(problem, {{"block_rows", 3}, {"block_columns", 2}, {"slices", slices}, {"tile", tile}});
}

} // namespace
} // namespace petscspmv::test
