// Strips of ccoo: eight groups with the values of their patterns at a time, slots with holes, and the way of y past the
// caches.

#include <cmath>

#include "ccoo_checks.hpp"
#include "kernels/host/cache.hpp"
#include "kernels/rows/local_number.hpp"

namespace petscspmv::test {
namespace {

template <class F> class CcooStripsTest : public CcooFixture<F> {
protected:
  using typename CcooFixture<F>::Scalar;
  using typename CcooFixture<F>::Index;
  using typename CcooFixture<F>::P;
  using typename CcooFixture<F>::Matrix;
  using typename CcooFixture<F>::Problem;
  using CcooFixture<F>::build;

  /// A stencil on lines of n points with the neighbours r + offset in the same line, or at least n away; values depend
  /// on the offset, and on the rows for which `other` is true.
  template <class Other> static Matrix lines(Index rows, Index n, const std::vector<Index> &offsets, const Other &other)
  {
    Matrix a = P::by_rows(rows, rows, [&](Index r) {
      std::vector<Index> columns;
      for (const Index d : offsets)
        if (r + d >= 0 && r + d < rows && (std::abs(d) >= n || (r + d) / n == r / n)) columns.push_back(r + d);
      return columns;
    });
    for (auto [r, c, v] : a.entries()) v = Scalar(other(r) ? 0.3 : 1.1 + static_cast<double>(c - r) / 7);
    return a;
  }
  static Matrix lines(Index rows, Index n, const std::vector<Index> &offsets)
  {
    return lines(rows, n, offsets, [](Index) { return false; });
  }

  /// Every way through strips, and none.
  static void check(const Matrix &a)
  {
    const auto problem = problem_with(a);
    for (const std::int64_t isa : instruction_sets<F>())
      for (const auto strips : {When::never, When::always})
        for (const auto stores : {StoreChoice::cached, StoreChoice::streamed}) {
          const Settings all{{"isa", isa}, {strips_option, strips}, {stores_option, stores}, {tile_option, TileChoice::diagonal}};
          auto           format = build(a, all);
          ASSERT_EQ(anything_wrong(format, problem), "") << describe(ccoo_options(all));
        }
  }
};
TYPED_TEST_SUITE(CcooStripsTest, CcooTypes, FormatName);

TYPED_TEST(CcooStripsTest, LinesOfAnyLength)
{
  for (const typename TestFixture::Index n : {3, 8, 20, 64, 65, 100}) {
    SCOPED_TRACE("lines of " + std::to_string(n));
    this->check(TestFixture::lines(10 * n, n, {-n, -1, 0, 1, n}));
    this->check(TestFixture::lines(700, n, {-n - 1, -n, -n + 1, -1, 0, 1, n - 1, n, n + 1}));
  }
}

// Three neighbouring offsets in several lines, with the same values: their x are added before they are multiplied.
TYPED_TEST(CcooStripsTest, LinesThatAreAlike)
{
  using Index       = typename TestFixture::Index;
  const auto all    = [](Index) { return true; };
  const auto thirds = [](Index r) { return r / 64 % 3 != 0; };
  for (const Index n : {3, 8, 20, 62, 64, 65, 100, 128}) {
    SCOPED_TRACE("lines of " + std::to_string(n));
    const std::vector<Index> nine{-n - 1, -n, -n + 1, -1, 0, 1, n - 1, n, n + 1};
    this->check(TestFixture::lines(700, n, nine, all));
    this->check(TestFixture::lines(700, n, nine, thirds));
    this->check(TestFixture::lines(
      900, n, {-3 * n, -3 * n + 1, -3 * n + 2, -3 * n + 3, -1, 0, 1, 3 * n - 2, 3 * n - 1, 3 * n, 3 * n + 1, 3 * n + 2}, all));
  }
}

// Strips end with the tile, and the last one with the matrix.
TYPED_TEST(CcooStripsTest, RowsThatEndInAStrip)
{
  for (const typename TestFixture::Index rows : {1, 7, 8, 9, 55, 56, 57, 63, 64, 65, 127, 129, 511, 513, 575, 577, 1100}) {
    SCOPED_TRACE(std::to_string(rows) + " rows");
    this->check(TestFixture::lines(rows, 12, {-12, -1, 0, 1, 12}));
  }
}

TYPED_TEST(CcooStripsTest, RowsWithOtherValuesAreSlotsOfTheirOwn)
{
  using Index = typename TestFixture::Index;
  this->check(TestFixture::lines(900, 30, {-30, -1, 0, 1, 30}, [](Index r) { return r % 30 == 0 || r % 30 == 29; }));
  this->check(TestFixture::lines(900, 30, {-30, -1, 0, 1, 30}, [](Index r) { return r < 333; }));
}

TYPED_TEST(CcooStripsTest, ColumnsThatARowHasSeveralTimes)
{
  auto a = TestFixture::P::by_rows(200, 200, [](auto r) { return std::vector<decltype(r)>(r % 5 == 0 ? 3 : 2, r); });
  std::fill(a.val.begin(), a.val.end(), 1.5);
  this->check(a);
}

// Rows without a column must not see what x holds there: next to the ends of lines that is the x of another line.
TYPED_TEST(CcooStripsTest, NoNumberLeaksIntoRowsThatDoNotHaveItsColumn)
{
  using Scalar  = typename TestFixture::Scalar;
  using Index   = typename TestFixture::Index;
  const Index n = 40, rows = 1200, m = 64;
  for (const auto &a : {TestFixture::lines(rows, n, {-n, -1, 0, 1, n}, [](Index r) { return r % 40 == 0; }),
                        TestFixture::lines(rows, m, {-m - 1, -m, -m + 1, -1, 0, 1, m - 1, m, m + 1}, [](Index) { return true; })})
    for (const std::int64_t isa : instruction_sets<TypeParam>()) {
      auto format = this->build(a, {{"isa", isa}, {strips_option, When::always}, {tile_option, TileChoice::diagonal}});
      ASSERT_GT(counted(format, "strips"), 0);
      for (Index j = 0; j < rows; j += 3) {
        std::vector<Scalar> x(static_cast<std::size_t>(rows), Scalar(1)), y(x);
        x[static_cast<std::size_t>(j)] = std::numeric_limits<double>::quiet_NaN();
        format.multiply(Operation::none, 1.0, x.data(), 0.0, y.data());
        for (Index r = 0; r < rows; ++r) {
          const auto row = a.row(r);
          ASSERT_EQ(std::isnan(std::abs(y[static_cast<std::size_t>(r)])), std::find(row.begin(), row.end(), j) != row.end())
            << "x[" << j << "], row " << r;
        }
      }
    }
}

// Past the caches goes only what lies on 16 bytes; results are the same bits either way.
TYPED_TEST(CcooStripsTest, TheWayOfYDoesNotChangeIt)
{
  using Scalar = typename TestFixture::Scalar;
  const auto a = TestFixture::lines(1500, 40, {-40, -1, 0, 1, 40});
  const auto x = make_vector<Scalar>(1500, 5, Mode::rounded);
  for (const std::int64_t isa : instruction_sets<TypeParam>())
    for (const auto tile : {TileChoice::diagonal, TileChoice::gather})
      for (const int threads : {1, 2}) {
        auto                cached   = this->build(a, {{"isa", isa}, {tile_option, tile}, {stores_option, StoreChoice::cached}}, threads);
        auto                streamed = this->build(a, {{"isa", isa}, {tile_option, tile}, {stores_option, StoreChoice::streamed}}, threads);
        std::vector<Scalar> y(1501), z(1501);
        for (const std::size_t shift : {0, 1}) {
          cached.multiply(Operation::none, 1.0, x.data(), 0.0, y.data() + shift);
          streamed.multiply(Operation::none, 1.0, x.data(), 0.0, z.data() + shift);
          for (std::size_t r = shift; r < 1500 + shift; ++r) ASSERT_TRUE(kernels::same_bits(y[r], z[r])) << "row " << r - shift;
        }
      }
}

TYPED_TEST(CcooStripsTest, YGoesPastCachesThatItWouldFill)
{
  const double quarter = 0.25 * double(kernels::last_level_cache()) / (2 * sizeof(typename TestFixture::Scalar)); // rows
  const auto   goes_by = [&](double rows) {
    return fact(this->build(TestFixture::lines(static_cast<int>(rows), 100, {0}), {}, 1).facts(), "y goes");
  };
  if (quarter > 2e6) GTEST_SKIP() << "the last-level cache has " << kernels::last_level_cache() << " bytes";
  EXPECT_EQ(goes_by(0.99 * quarter), "through the caches");
  EXPECT_EQ(goes_by(1.01 * quarter), "past the caches");
}

TYPED_TEST(CcooStripsTest, TakeTheNewValuesOfARefresh)
{
  auto a      = TestFixture::lines(1200, 30, {-30, -1, 0, 1, 30});
  auto format = this->build(a, {{strips_option, When::always}, {tile_option, TileChoice::diagonal}});
  for (auto &v : a.val) v *= 2.5; // slots stay slots
  format.refresh(a.view());
  EXPECT_EQ(anything_wrong(format, problem_with(a)), "");
  EXPECT_GT(counted(format, "strips"), 0);
  // Two patterns that had the same value at an offset have different ones now: the rows at the ends of lines.
  for (auto [r, c, v] : a.entries())
    if (r % 30 == 0) v = typename TestFixture::Scalar(-3.25);
  format.refresh(a.view());
  EXPECT_EQ(anything_wrong(format, problem_with(a)), "");
  set_values(a, 77, false); // nothing is constant any more
  format.refresh(a.view());
  EXPECT_EQ(anything_wrong(format, problem_with(a)), "");
}

// They are there where they help: grids, and not where groups have nothing in common. Not with complex numbers, which
// are gathered as fast.
TYPED_TEST(CcooStripsTest, AreChosenOnGrids)
{
  auto a = TestFixture::P::stencil(16);
  EXPECT_EQ(counted(this->build(a, {}), "strips") > 0, !IsComplex<typename TestFixture::Scalar>::value);
  EXPECT_GT(counted(this->build(a, {{tile_option, TileChoice::diagonal}}), "strips"), 0);
  EXPECT_EQ(counted(this->build(a, {{tile_option, TileChoice::diagonal}, {strips_option, When::never}}), "strips"), 0);
  set_values(a, 3, false);
  EXPECT_EQ(counted(this->build(a, {}), "strips"), 0);
}

// Groups that are different take more memory with their value than a tile with one value for all, but eight of them
// have few slots together.
TYPED_TEST(CcooStripsTest, AreChosenWhereGroupsDifferAndValuesDoNot)
{
  using Index = typename TestFixture::Index;
  auto a      = TestFixture::P::by_rows(2000, 2000, [](Index r) {
    std::vector<Index> columns;
    for (const Index d : {-9, -1, 0, 1, 9})
      if (r + d >= 0 && r + d < 2000 && (r * r / 16 + 3 * d) % 29 != 0) columns.push_back(r + d);
    return columns;
  });
  for (auto &v : a.val) v = 1.5;
  const auto format = this->build(a, {{tile_option, TileChoice::diagonal}});
  EXPECT_GT(counted(format, "strips"), 0);
  EXPECT_EQ(counted(this->build(a, {}), "strips") > 0, !IsComplex<typename TestFixture::Scalar>::value);
  EXPECT_LE(static_cast<double>(format.footprint().total()), 1.02 * static_cast<double>(kernels::csr_bytes(a.view())));
  this->check(a);
}

} // namespace
} // namespace petscspmv::test
