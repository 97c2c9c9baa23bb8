// What bccoo copies to a device, without one: every entry comes back from it as it was given.

#include "bccoo_images.hpp"

namespace petscspmv::test {
namespace {

template <class F> class BccooImageTest : public BccooFixture<F> {
protected:
  using typename BccooFixture<F>::Index;
  using typename BccooFixture<F>::Matrix;
  using typename BccooFixture<F>::P;
  using typename BccooFixture<F>::Problem;
  using typename BccooFixture<F>::Scalar;
  using Image = BlockImage<typename F::scalar_type, Index>;

  static Matrix with_values(Matrix a)
  {
    set_values(a, 3, false);
    return a;
  }
};
TYPED_TEST_SUITE(BccooImageTest, BccooTypes, FormatName);

Settings shaped(std::int64_t h, std::int64_t w, Settings settings = {})
{
  settings.insert(settings.end(), {{"block_rows", h}, {"block_columns", w}});
  return settings;
}

// Every matrix with every shape; the other options take turns.
TYPED_TEST(BccooImageTest, EveryEntryComesBack)
{
  std::int64_t turn = 0;
  for (const auto &named : matrices<typename TestFixture::Scalar, typename TestFixture::Index>()) {
    if (named.large) continue;
    auto a = named.pattern();
    for (std::int64_t h = 1; h <= 8; ++h)
      for (std::int64_t w = 1; w <= 8; ++w, ++turn) {
        if (!named.fixed_values) set_values(a, 5, turn % 2 == 0);
        const Settings settings = shaped(h, w, {{"index", turn % 4}, {"values", turn % 7}, {"flags", turn / 4 % 4}, {"slices", turn % 3}});
        const typename TestFixture::Image image(a.view(), settings, 1 + static_cast<int>(turn % 2));
        ASSERT_EQ(block_decoding_error(image, a.view()), "") << named.name << ", " << describe(bccoo_options(settings));
      }
  }
}

// All that is independent of each other, in all combinations: shapes, slices, codings of values and of columns, for
// each word of flags; and a block row that is cut for each.
TYPED_TEST(BccooImageTest, EveryEntryComesBackFromEveryCombination)
{
  using Index = typename TestFixture::Index;
  for (const auto &[flags, blocks] : {std::pair(1, Index(300)), std::pair(2, Index(600)), std::pair(3, Index(1100))}) {
    auto few = TestFixture::little(blocks), many = few;
    set_values(few, 3, true);
    set_values(many, 3, false);
    int                     turn = 0;
    const int               bits = 4 << flags;
    const std::vector<Axis> axes = {axis("block_rows", 1, 8), axis("block_columns", 1, 8),         {"slices", {1, 2, 7}},
                                    {"index", {0, index_32}}, axis("values", 0, block_values_raw), {"flags", {flags}}};
    for_each_combination(axes, [&](Settings settings) {
      settings.emplace_back("sums", 1 + turn / 2 % 2); // no matter here: all have room
      const auto                       &a = turn++ % 3 ? few : many;
      const typename TestFixture::Image image(a.view(), settings, 1);
      ASSERT_EQ(block_decoding_error(image, a.view()), "") << describe(bccoo_options(settings));
      if (image.slices == 1) { ASSERT_EQ(image.cut.size(), 1U); }
      ASSERT_EQ(image.flag_bits, bits);
    });
  }
}

// Block rows that end where lanes and tiles do, some over several tiles, and rows without entries between, before and
// after them.
TYPED_TEST(BccooImageTest, BlockRowsOfAnyLength)
{
  using Index = typename TestFixture::Index;
  for (const std::int64_t flags : {1, 2, 3})
    for (const Index length : {1, 7, 8, 9, 31, 32, 33, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2600}) {
      typename TestFixture::Matrix a;
      a.cols = 3000;
      for (Index r = 0; r < 60; ++r) a.add_row(TestFixture::P::range(r, r / 3 % 7 == 3 ? r : r + (r / 3 % 5 == 1 ? length : length / 3)));
      a = TestFixture::with_values(a);
      for (const std::int64_t side : {1, 2, 3}) {
        const typename TestFixture::Image image(a.view(), shaped(side, side, {{"flags", flags}}));
        ASSERT_EQ(block_decoding_error(image, a.view()), "") << length << ", " << side;
      }
    }
}

// Block rows over several tiles, exactly those: each of the tiles but the last one goes on, and each but the first one
// continues.
TYPED_TEST(BccooImageTest, CutBlockRowsAreThoseOfTilesThatGoOn)
{
  using Index  = typename TestFixture::Index;
  const auto a = TestFixture::with_values(TestFixture::P::random(
    9000, 5000, 7, [](Index r, auto &random) { return r % 700 == 7 ? Index(4000) : Index(random.integer(60, 140)); }));
  for (const std::int64_t flags : {1, 2, 3}) {
    const typename TestFixture::Image image(a.view(), shaped(1, 1, {{"flags", flags}}));
    ASSERT_EQ(block_decoding_error(image, a.view()), "");
    std::size_t going_on = 0, cut = 0;
    for (const auto &t : image.tile) going_on += t.goes_on;
    for (const auto &c : image.cut) {
      ASSERT_GT(c.last, c.first);
      cut += c.last - c.first;
      for (std::uint32_t i = c.first; i < c.last; ++i) {
        EXPECT_TRUE(image.tile[i].goes_on && image.tile[i + 1].continues);
        EXPECT_EQ(image.tile[i].segment + image.tile[i].segments - 1, c.segment);
        EXPECT_EQ(image.tile[i + 1].segment, c.segment);
      }
    }
    EXPECT_EQ(cut, going_on);
    EXPECT_GT(image.cut.size(), 12u) << "not only the long ones";
  }
}

// Tiles end where little is left for their last lanes to do.
TYPED_TEST(BccooImageTest, LanesAreBusy)
{
  using Index = typename TestFixture::Index;
  for (const Index length : {5, 14, 27, 33}) {
    const auto                        a = TestFixture::with_values(TestFixture::P::regular(9000, 9000, length, 3));
    const typename TestFixture::Image image(a.view(), shaped(1, 1, {{"flags", 2}}));
    std::size_t                       places = 0, blocks = 0;
    for (const auto &t : image.tile) {
      EXPECT_EQ(t.lane_blocks % 4, 0);
      EXPECT_LE(t.blocks, 32 * t.lane_blocks);
      EXPECT_LE(t.lane_blocks, image.flag_bits);
      places += 32u * t.lane_blocks;
      blocks += t.blocks;
    }
    EXPECT_EQ(blocks, a.col.size());
    EXPECT_LT(static_cast<double>(places), 1.04 * static_cast<double>(blocks)) << length;
  }
}

// A tile that goes on, or that is dealt out block by block, has all the blocks that there can be: lanes without blocks
// only follow the end of a row.
TYPED_TEST(BccooImageTest, TilesThatGoOnAreFull)
{
  using Index = typename TestFixture::Index;
  const auto a =
    TestFixture::with_values(TestFixture::P::random(200, 5000, 7, [](Index r, auto &) { return Index(r % 50 == 7 ? 4000 : 11); }));
  const typename TestFixture::Image image(a.view(), shaped(1, 1, {{"flags", 1}}));
  std::size_t                       parts = 0, scattered = 0;
  for (const auto &t : image.tile) {
    EXPECT_TRUE(t.blocks == 32 * 8 || !(t.goes_on || t.scattered_lanes));
    EXPECT_TRUE(t.segments == 1 || !t.scattered_lanes);
    parts += t.goes_on;
    scattered += t.scattered_lanes;
  }
  EXPECT_EQ(image.cut.size(), 4u);
  EXPECT_GE(parts, 4u * (4000 / 256));
  EXPECT_GE(scattered, 4u * (4000 / 256 - 1));
  for (const auto &c : image.cut) EXPECT_GT(c.last, c.first);
}

TYPED_TEST(BccooImageTest, ChoosesSquares)
{
  for (int b = 1; b <= 8; ++b) {
    const auto                        a = TestFixture::with_values(TestFixture::grid(30, static_cast<typename TestFixture::Index>(b)));
    const typename TestFixture::Image image(a.view(), {});
    EXPECT_EQ(image.shape.rows, b);
    EXPECT_EQ(image.shape.cols, b);
    EXPECT_EQ(image.zeros, 0);
    ASSERT_EQ(block_decoding_error(image, a.view()), "");
  }
}

// As many blocks for each lane as are asked for, but fewer where the sums of many short block rows would not find room.
TYPED_TEST(BccooImageTest, WordsOfFlags)
{
  using Index    = typename TestFixture::Index;
  const auto row = [](Index n) {
    return TestFixture::with_values(TestFixture::P::random(5000, 4000, 7, [n](Index, auto &) { return n; }));
  };
  const auto blocks = [](const auto &a, std::int64_t h, std::int64_t flags) {
    return typename TestFixture::Image(a.view(), shaped(h, 1, {{"flags", flags}})).flag_bits;
  };
  const auto single = row(1), many = row(40);
  for (std::int64_t flags : {1, 2, 3}) EXPECT_EQ(blocks(many, 8, flags), 4 << flags);
  EXPECT_EQ(blocks(many, 8, 0), 8) << "a small matrix";
  EXPECT_EQ(blocks(single, 1, 2), 16);
  EXPECT_EQ(blocks(single, 1, 3), IsComplex<typename TestFixture::Scalar>::value ? 16 : 32) << "1024 sums of 8 or 16 bytes";
  const auto band = [](Index rows, Index n) {
    typename TestFixture::Matrix a;
    a.cols = rows + n;
    for (Index r = 0; r < rows; ++r) a.add_row(TestFixture::P::range(r, r + n));
    return TestFixture::with_values(a);
  };
  EXPECT_EQ(blocks(band(600000, 1), 1, 0), 8) << "block rows that are short: many end in a lane";
  EXPECT_EQ(blocks(band(300000, 4), 1, 0), 16);
  EXPECT_EQ(blocks(band(280000, 8), 1, 0), 32);
  const typename TestFixture::Image kept(single.view(), shaped(1, 1, {{"flags", 3}, {"sums", 1}}));
  EXPECT_EQ(kept.flag_bits, 32) << "in registers, all have room";
  EXPECT_TRUE(kept.in_registers);
}

// Where x is larger than a slice may be, and rows are long enough and reach over it.
TYPED_TEST(BccooImageTest, SlicesWhereXIsLarge)
{
  using Index       = typename TestFixture::Index;
  const auto n      = static_cast<Index>((std::int64_t(40) << 20) / sizeof(typename TestFixture::Scalar)); // three slices
  const auto slices = [](Index cols, Index entries, Index reach, const Settings &settings) {
    typename TestFixture::Matrix a;
    a.cols = cols;
    for (Index r = 0; r < 40; ++r) {
      std::vector<Index> row;
      for (Index k = 0; k < entries; ++k) row.push_back(r + k * (reach / entries));
      a.add_row(row);
    }
    a = TestFixture::with_values(a);
    const typename TestFixture::Image image(a.view(), shaped(1, 1, settings));
    EXPECT_EQ(block_decoding_error(image, a.view()), "");
    return image.slices;
  };
  const Index all = n - 40;
  EXPECT_EQ(slices(n, 60, all, {}), 3);
  EXPECT_EQ(slices(n, 60, all, {{"slices", 1}}), 1);
  EXPECT_EQ(slices(n, 60, all, {{"slices", 5}}), 5);
  EXPECT_EQ(slices(n, 20, all, {}), 1) << "short rows";
  EXPECT_EQ(slices(n, 60, n / 3, {}), 1) << "a band";
  EXPECT_EQ(slices(n / 3, 60, n / 3 - 40, {}), 1) << "x is small";
}

TYPED_TEST(BccooImageTest, IsTheSameForAnyNumberOfThreads)
{
  using Index = typename TestFixture::Index;
  const auto a =
    TestFixture::with_values(TestFixture::P::random(9000, 9000, 7, [](Index r, auto &) { return Index(r % 2000 == 7 ? 4000 : r % 23); }));
  const typename TestFixture::Image one(a.view(), shaped(3, 3), 1);
  for (int threads : {3, 12}) {
    const typename TestFixture::Image several(a.view(), shaped(3, 3), threads);
    EXPECT_EQ(image_difference<typename TestFixture::Scalar>(one, several), "");
  }
}

} // namespace
} // namespace petscspmv::test
