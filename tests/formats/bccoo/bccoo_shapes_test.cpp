// What bccoo chooses, and the places where the code published with the method does otherwise than its paper, or wrong.

#include <cstdio>
#include <tuple>

#include "bccoo_checks.hpp"
#include "core/runtime.hpp"
#include "impls/bccoo/bccoo_shape.hpp"
#include "kernels/rows/local_number.hpp"

namespace petscspmv::test {
namespace {

template <class F> using BccooShapesTest = BccooFixture<F>;
TYPED_TEST_SUITE(BccooShapesTest, BccooTypes, FormatName);

// ---------------------------------------------------------------- what is chosen

TYPED_TEST(BccooShapesTest, FindsTheUnknownsOfANode)
{
  for (int b = 2; b <= 8; ++b) {
    const auto a      = this->valued(TestFixture::P::box(40, 1, 1, b));
    const auto format = this->build(a, {});
    int        h = 0, w = 0;
    const auto shape = shape_of(format);
    ASSERT_EQ(std::sscanf(shape.c_str(), "%d x %d", &h, &w), 2);
    EXPECT_EQ(h % b, 0) << shape << ": nodes are not cut";
    EXPECT_TRUE(w == b || w == 4) << shape << ": as many columns, or a whole vector";
    EXPECT_EQ(block_decoding_error(format, a.view()), "");
  }
}

// Blocks that are not full pay where the matrix is in caches. From memory they take no more than CSR.
TYPED_TEST(BccooShapesTest, TakesMoreMemoryThanCsrOnlyInCaches)
{
  for (const typename TestFixture::Index n : {100, 3000, 30000})
    for (const int length : {2, 6, 20, 80}) {
      const auto a     = this->valued(TestFixture::P::random(n, n, 11, [length](auto, auto &) { return length; }));
      const auto bytes = TypeParam::predicted_bytes(a.view(), options_of<TypeParam>({}));
      const auto csr   = kernels::csr_bytes(a.view());
      const auto share = csr <= (1 << 20) ? 2 : csr <= (24 << 20) ? 1.5 : 1;
      EXPECT_LE(static_cast<double>(bytes), 1.02 * share * static_cast<double>(csr) + 65536) << n << " rows of " << length;
    }
}

// One row with an entry in each column says nothing of the others, though it has a third of the entries.
TYPED_TEST(BccooShapesTest, ALongRowDoesNotDecide)
{
  using P           = typename TestFixture::P;
  const auto a      = this->valued(P::by_rows(20000, 20000, [](auto r) { return r == 0 ? P::range(0, 20000) : typename P::Row({0, r}); }));
  const auto format = this->build(a, {});
  EXPECT_LE(static_cast<double>(format.footprint().total()), 2 * static_cast<double>(kernels::csr_bytes(a.view()))) << shape_of(format);
}

TYPED_TEST(BccooShapesTest, HintsAtCcooWhereThereAreNoBlocks)
{
  const auto a = this->valued(TestFixture::P::random(3000, 3000, 7, [](auto, auto &) { return 6; }));
  EXPECT_NE(fact(this->build(a, {}), "hint").find("ccoo"), std::string::npos);
  EXPECT_NE(fact(this->build(a, {{"block_rows", 1}, {"block_columns", 1}}), "hint").find("ccoo"), std::string::npos);
  const auto dense = this->build(TestFixture::P::box(30, 1, 1, 2), {}).facts();
  EXPECT_TRUE(std::none_of(dense.begin(), dense.end(), [](const auto &f) { return f.first == "hint"; })) << "blocks of 2 x 2";
}

// Few rows of many entries, which no cache keeps the x of from one row to the next: it is read for as many at a time as
// have it in common.
TYPED_TEST(BccooShapesTest, TakesLongRowsTogetherThatShareX)
{
  using P          = typename TestFixture::P;
  const auto alike = [this](int rows) {
    return this->valued(P::by_rows(25, 400000, [rows](auto r) { return P::range(r / rows * 8, 400000, 200); }));
  };
  EXPECT_EQ(shape_of(this->build(alike(5), {})).substr(0, 3), "5 x");
  EXPECT_EQ(shape_of(this->build(alike(1), {})).substr(0, 3), "1 x");
}

// A side that is asked for stays; the other one suits it.
TYPED_TEST(BccooShapesTest, TakesTheSideThatIsAskedFor)
{
  const auto a = this->valued(TestFixture::P::box(30, 1, 1, 4));
  EXPECT_EQ(shape_of(this->build(a, {{"block_rows", 1}})).substr(0, 3), "1 x");
  EXPECT_EQ(shape_of(this->build(a, {{"block_columns", 4}})), "4 x 4");
  EXPECT_EQ(shape_of(this->build(a, {{"block_rows", 8}, {"block_columns", 3}})), "8 x 3");
}

// Slices pay where rows are long and reach over an x that no near cache holds.
TYPED_TEST(BccooShapesTest, SlicesAWideMatrixOfLongRows)
{
  using Index     = typename TestFixture::Index;
  using P         = typename TestFixture::P;
  const auto wide = [](Index cols, Index step) {
    return P::by_rows(20, cols, [step](Index r) { return P::range(r, r + 1000 * step, step); });
  };
  const auto slices = [](const auto &format) { return fact(format, "slices"); };
  const auto n      = static_cast<Index>((std::int64_t(3) << 20) / sizeof(typename TestFixture::Scalar)); // three slices
  EXPECT_EQ(slices(this->build(wide(n, n / 1000 - 1), {})), "3");
  EXPECT_EQ(slices(this->build(wide(n, n / 1000 - 1), {{"slices", 1}})), "1");
  EXPECT_EQ(slices(this->build(wide(n, n / 10000), {})), "1") << "a band";
  EXPECT_EQ(slices(this->build(wide(2000, 1), {})), "1") << "x is small";
  EXPECT_EQ(slices(this->build(TestFixture::P::random(400, n, 4, [](Index, auto &) { return 50; }), {})), "1") << "short rows";
}

// Where bytes from a far cache take long, a shape is taken whose blocks a near one holds, though others have fewer
// blocks.
TEST(BestShape, StaysInANearCacheIfTheFarOneIsSlow)
{
  const auto          a    = Patterns<double, std::int32_t>::regular(240, 3000, 300, 31);
  const bccoo::Fill   fill = bccoo::sample_fill(a.view(), true);
  bccoo::tuning::Cost cost;
  cost.vector = cost.x = 0;    // many small blocks take longer than few large ones,
  cost.near_stream     = 1e-3; // whose bytes take next to nothing
  const auto bytes     = [&](double near, double stream) {
    cost.stream          = stream;
    const bccoo::Shape s = bccoo::best_shape(fill, {0, 0}, sizeof(double), {1e9, near}, cost);
    return fill.per_entry(s, s.values() * double(sizeof(double)));
  };
  const double least = sizeof(double), far = bytes(1e9, cost.near_stream);
  EXPECT_GT(far, 2 * least);
  EXPECT_EQ(bytes(0, cost.near_stream), far) << "far is as fast as near";
  EXPECT_LT(bytes(1.5 * least, 10), 1.5 * least);
}

// Blocks are no larger than the matrix.
TYPED_TEST(BccooShapesTest, SmallMatricesHaveSmallBlocks)
{
  auto a = TestFixture::P::regular(3, 2, 2, 1);
  EXPECT_EQ(shape_of(this->build(a, {{"block_rows", 8}, {"block_columns", 8}})), "3 x 2");
}

TYPED_TEST(BccooShapesTest, CountsTheZerosOfBlocks)
{
  // A diagonal of ten in blocks of 4 x 4: two full ones and half of one, whose columns begin earlier.
  using P           = typename TestFixture::P;
  const auto a      = P::by_rows(10, 10, [](auto r) { return typename P::Row({r}); });
  const auto format = this->build(a, {{"block_rows", 4}, {"block_columns", 4}});
  EXPECT_EQ(fact(format, "blocks"), "3 of 4 x 4");
  EXPECT_EQ(fact(format, "zeros in blocks that are no entries"), "38 (79 % of the values)");
  EXPECT_EQ(block_decoding_error(format, a.view()), "");
}

// Blocks that are full take eight bytes a value and little else: less than CSR.
TYPED_TEST(BccooShapesTest, FullBlocksTakeLittleMoreThanTheirValues)
{
  const auto   a      = this->valued(TestFixture::P::box(60, 1, 1, 3));
  const auto   format = this->build(a, {});
  const double each   = static_cast<double>(format.footprint().total()) / static_cast<double>(a.val.size());
  EXPECT_LT(each, sizeof(typename TestFixture::Scalar) + 0.5);
  EXPECT_EQ(bytes_of(format, {"masks of blocks with zeros"}), 0U);
}

// ---------------------------------------------------------------- columns

// Columns far apart within one tile, of which 16 bits are too few.
TYPED_TEST(BccooShapesTest, ColumnsFarApartInOneTile)
{
  using P        = typename TestFixture::P;
  const auto row = [](auto r) { return typename P::Row({r, r + 253, r + 254 + r, 65535 + r, 65536 + 3 * r, 299999 - r}); };
  const typename TestFixture::Problem problem(P::by_rows(40, 300000, row), Mode::exact);
  for (const std::int64_t width : {1, 2, 7}) {
    auto format = this->build(problem.a, {{"block_rows", 1}, {"block_columns", width}});
    EXPECT_EQ(block_decoding_error(format, problem.a.view()), "") << width;
    EXPECT_EQ(products_wrong(format, problem), "") << width;
  }
}

// Sixteen bits count blocks, unless a block begins before a multiple of its width or the columns are too far apart.
TYPED_TEST(BccooShapesTest, ColumnsTakeSixteenBitsWhereTheyCan)
{
  using Index = typename TestFixture::Index;
  for (const auto &[last, cols, each] : {std::tuple(65535 * 3 + 2, 65536 * 3, 2),
                                         {65535 * 3 + 2, 65536 * 3 + 2, 2},
                                         {65536 * 3, 65537 * 3, 4},
                                         {65535 * 3, 65535 * 3 + 2, 4},
                                         {2000000000, 2000000001, 4}}) {
    const auto row    = [last = last](Index r) { return std::vector<Index>({0, 3 * (r + 1), 3 * (r + 200), last}); };
    const auto a      = TestFixture::P::by_rows(50, cols, row);
    const auto format = this->build(a, {{"block_rows", 1}, {"block_columns", 3}});
    EXPECT_EQ(bytes_of(format, {"columns"}), static_cast<std::size_t>(50 * 4 * each)) << last << " of " << cols;
    EXPECT_EQ(block_decoding_error(format, a.view()), "") << last << " of " << cols;
  }
}

// ---------------------------------------------------------------- what the published code does otherwise

// It stores a zero block for each empty block row, and does so again for each slice.
TYPED_TEST(BccooShapesTest, EmptyBlockRowsTakeNoBlock)
{
  auto a = TestFixture::P::random(4000, 500, 8, [](auto r, auto &) { return r % 400 == 7 ? 5 : 0; });
  for (const std::int64_t slices : {1, 4, 32}) {
    const auto format = this->build(a, {{"block_rows", 2}, {"block_columns", 1}, {"slices", slices}});
    EXPECT_EQ(fact(format, "blocks"), "50 of 2 x 1");
    EXPECT_EQ(fact(format, "slices"), std::to_string(slices));
  }
}

// It adds a tile of zeros where the blocks fill their tiles exactly.
TYPED_TEST(BccooShapesTest, TilesThatAreFullAreAllThereIs)
{
  for (const typename TestFixture::Index rows : {15, 16, 17}) {
    auto       a      = TestFixture::P::regular(rows, 40, 16, 3);
    const auto format = this->build(a, {{"block_rows", 1}, {"block_columns", 1}, {"tile", 64}});
    EXPECT_EQ(std::stoll(fact(format, "tiles")), (rows + 3) / 4);
    EXPECT_EQ(block_decoding_error(format, a.view()), "");
  }
}

// It tries slices only if there are more columns than rows, and allocates their sums in each product.
TYPED_TEST(BccooShapesTest, SlicesAreForMatricesOfAnyProportions)
{
  for (const auto &[rows, cols] : {std::pair(900, 50), std::pair(50, 900), std::pair(300, 300)}) {
    const typename TestFixture::Problem problem(TestFixture::P::regular(rows, cols, 9, 12), Mode::exact);
    for (std::int64_t slices = 2; slices <= 32; ++slices) {
      auto format = this->build(problem.a, {{"block_rows", 1}, {"block_columns", 1}, {"slices", slices}});
      EXPECT_EQ(products_wrong(format, problem), "") << rows << " x " << cols << ", " << slices << " slices";
      EXPECT_GE(bytes_of(format, {"sums of slices"}), static_cast<std::size_t>(slices * rows) * sizeof(typename TestFixture::Scalar));
    }
  }
}

// Its flags are looked at a word at a time: block rows that end at, before and behind the ends of words of 8, 16, 32
// and 64.
TYPED_TEST(BccooShapesTest, RowsThatEndWhereWordsOfFlagsEnd)
{
  using Index   = typename TestFixture::Index;
  using P       = typename TestFixture::P;
  using Problem = typename TestFixture::Problem;
  for (const Index n : {7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129}) {
    const Problem problem(P::by_rows(6, 200, [n](Index r) { return P::range(0, r == 1 ? 1 : r == 4 ? 64 : n); }), Mode::exact);
    for (const std::int64_t tile : {4096, 64, 128}) {
      auto format = this->build(problem.a, {{"block_rows", 1}, {"block_columns", 1}, {"tile", tile}});
      EXPECT_EQ(products_wrong(format, problem), "") << n << ", tiles of " << tile;
    }
  }
}

// It waits for a sum of another work group that is a special value, which a sum may happen to be. Sums here are that
// value.
TYPED_TEST(BccooShapesTest, NoSumIsSpecial)
{
  using Scalar = typename TestFixture::Scalar;
  for (const double special : {double(std::numeric_limits<float>::max()), std::numeric_limits<double>::max(), -0.0}) {
    auto                format = this->build(TestFixture::P::regular(5, 500, 500, 1), {{"tile", 16}});
    std::vector<Scalar> x(500, 0.0), y(5);
    x[250] = special;
    format.multiply(Operation::none, 1.0, x.data(), 0.0, y.data());
    for (const Scalar &s : y) EXPECT_EQ(s, Scalar(special));
  }
}

// ---------------------------------------------------------------- what is refused

TYPED_TEST(BccooShapesTest, RefusesWhatThirtyTwoBitsCannotNumber)
{
  const typename TestFixture::Index most = std::numeric_limits<std::int32_t>::max();
  this->expect_that_so_many_are_refused(most);
  EXPECT_EQ(this->refusal({0, most - 1}), "");
}

TYPED_TEST(BccooShapesTest, SaysWhyThereIsNoDevice)
{
  if (runtime::has_device()) GTEST_SKIP() << "There is one.";
  EXPECT_EQ(this->refusal(TestFixture::P::stencil(3).view(), {MemorySpace::device, 1}), runtime::device_problem());
}

} // namespace
} // namespace petscspmv::test
