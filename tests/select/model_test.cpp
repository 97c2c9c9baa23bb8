// What the model looks at, and that it tells obvious cases apart.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "fakes.hpp"
#include "interface/type_list.hpp"
#include "select/model.hpp"

namespace petscspmv::test {
namespace {

using Matrix = CsrMatrix<double, std::int32_t>;
using select::Look;
using select::Windows;

Matrix random_columns(std::int32_t rows, int each)
{
  Matrix       a;
  std::mt19937 random(1);
  a.cols = rows;
  for (std::int32_t r = 0; r < rows; ++r) {
    std::vector<std::int32_t> columns(static_cast<std::size_t>(each));
    for (auto &c : columns) c = static_cast<std::int32_t>(random() % static_cast<unsigned>(rows));
    a.add_row(columns);
  }
  return a;
}

double predicted(const Matrix &a, const Type &type)
{
  const Look<double, std::int32_t> look(a.view(), 1 << 14);
  const Forecast                   forecast = look.forecast(type, OptionValues(type.options), MemorySpace::host);
  return select::predicted_seconds(type.name, forecast, look.structure, MemorySpace::host);
}

TEST(WindowsTest, ASmallMatrixIsItsOwnWindow)
{
  const Matrix                        a = five_diagonals(100);
  const Windows<double, std::int32_t> windows(a.view(), 300);
  ASSERT_EQ(windows.views().size(), 1u);
  EXPECT_EQ(windows.views()[0].row_ptr, a.view().row_ptr);
  EXPECT_EQ(windows.scale(), 1);
}

TEST(WindowsTest, AreRunsOfRowsThatDoNotOverlap)
{
  const Matrix                        a = five_diagonals(10000);
  const Windows<double, std::int32_t> windows(a.view(), 4000);
  std::int64_t                        entries = 0;
  const std::int32_t                 *end     = a.col.data();
  for (const View &w : windows.views()) {
    EXPECT_GE(w.col, end);
    end = w.col + w.nonzeros();
    EXPECT_LE(end, a.col.data() + a.col.size());
    EXPECT_EQ(w.row_ptr[0], 0);
    EXPECT_EQ(w.cols, a.cols);
    entries += w.nonzeros();
  }
  EXPECT_NEAR(double(entries), 4000, 100);
  EXPECT_NEAR(windows.scale() * double(entries), double(a.col.size()), 1);
}

// Of single rows nobody can tell what they share.
TEST(WindowsTest, ThereAreFewerOfLongRowsAndEachHasSeveral)
{
  for (const int each : {300, 3000}) {
    const Matrix                        a = random_columns(40, each);
    const Windows<double, std::int32_t> windows(a.view(), 4800);
    EXPECT_EQ(windows.views().size(), each == 300 ? 2U : 1U);
    for (const View &w : windows.views()) EXPECT_EQ(w.rows, 8);
  }
}

TEST(WindowsTest, RowsWithoutEntriesAreNoTrouble)
{
  Matrix a;
  a.cols = 10;
  for (int r = 0; r < 5000; ++r) a.add_row({});
  a.add_row({1, 2, 3, 4, 5, 6, 7, 8, 9});
  const Windows<double, std::int32_t> windows(a.view(), 2);
  EXPECT_GE(windows.scale(), 1);
  EXPECT_NO_THROW((Look<double, std::int32_t>(a.view(), 2)));
  EXPECT_NO_THROW((Look<double, std::int32_t>(Matrix().view(), 2)));
}

TEST(StructureTest, CountsUnevenRowsAndMissesOfX)
{
  const Look<double, std::int32_t> near(five_diagonals(20000).view(), 1 << 14), far(random_columns(200000, 8).view(), 1 << 14);
  EXPECT_LT(near.structure.near_misses, 0.05);
  EXPECT_LT(near.structure.uneven, 0.001);
  EXPECT_GT(far.structure.near_misses, 0.8);
  EXPECT_LE(far.structure.far_misses, far.structure.near_misses);
}

TEST(ModelTest, ForecastsForSmallMatricesAreExact)
{
  const Matrix a = five_diagonals(500);
  for (const Type &type : methods<double, std::int32_t>) {
    const Look<double, std::int32_t> look(a.view(), 1 << 14);
    const OptionValues               options(type.options);
    EXPECT_EQ(look.forecast(type, options, MemorySpace::host).bytes, type.predicted_bytes(a.view(), options)) << type.name;
  }
}

TEST(ModelTest, TellsObviousCasesApart)
{
  const auto   spec = aijspec_type<double, std::int32_t>;
  const auto   ccoo = ccoo_type<double, std::int32_t>;
  const Matrix grid = five_diagonals(200000), scattered = random_columns(100000, 10);
  EXPECT_LT(predicted(grid, ccoo), 0.5 * predicted(grid, spec)) << "constant diagonals";
  EXPECT_GT(predicted(scattered, ccoo), 0.6 * predicted(scattered, spec)) << "nothing to compress but columns";
  EXPECT_GT(predicted(scattered, spec), predicted(five_diagonals(200000), spec)) << "as many entries, x scattered";
}

/// Rows that touch more lines of x than a cache has; `alike` of them have the same columns.
Matrix long_rows(int alike)
{
  Matrix a;
  a.cols = 60000;
  for (std::int32_t r = 0; r < 16; ++r) {
    std::vector<std::int32_t> columns;
    for (std::int32_t c = r / alike * 2; c < a.cols; c += 12) columns.push_back(c);
    a.add_row(columns);
  }
  return a;
}

TEST(ModelTest, LinesOfXThatRowsShareAreFetchedOnce)
{
  select::Structure s{16, 60000, 80000};
  s.near_misses      = 1;
  const auto seconds = [&s](double lines) { return select::predicted_seconds("bccoo", {1000, 1000, lines}, s, MemorySpace::host); };
  EXPECT_EQ(seconds(80000), seconds(std::numeric_limits<double>::infinity())) << "there are no more misses than entries";
  EXPECT_LT(seconds(10000), 0.5 * seconds(80000));

  const auto bccoo = bccoo_type<double, std::int32_t>;
  const auto lines = [&bccoo](const Matrix &a, int h) {
    OptionValues options(bccoo.options);
    options.set("block_rows", h);
    options.set("block_columns", 1);
    return bccoo.forecast(a.view(), options, MemorySpace::host).lines;
  };
  const Matrix a = long_rows(4);
  EXPECT_EQ(lines(a, 4), 4 * 5000) << "four block rows, each entry in a line of its own";
  EXPECT_EQ(lines(a, 2), 8 * 5000);
  EXPECT_TRUE(std::isinf(lines(a, 1))) << "that is what the model counts itself";
}

/// Full blocks of random values: `nodes` nodes of b unknowns each, coupled with those beside them and some far away.
Matrix random_blocks(std::int32_t nodes, std::int32_t b)
{
  Matrix                                 a;
  std::mt19937                           random(2);
  std::uniform_real_distribution<double> value(-1, 1);
  a.cols = nodes * b;
  for (std::int32_t n = 0; n < nodes; ++n) {
    std::vector<std::int32_t> columns;
    for (std::int32_t m = n; m < n + 12; ++m)
      for (std::int32_t j = 0; j < b; ++j) columns.push_back((m + (m % 3) * 40) % nodes * b + j);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (std::int32_t i = 0; i < b; ++i) a.add_row(columns);
  }
  for (double &v : a.val) v = value(random);
  return a;
}

/// Nine nodes of b unknowns each in three lines of a grid, each unknown coupled with all of them by the same numbers
/// everywhere.
Matrix stencil_of_blocks(std::int32_t nodes, std::int32_t b)
{
  Matrix a;
  a.cols = nodes * b;
  for (std::int32_t n = 0; n < nodes; ++n)
    for (std::int32_t i = 0; i < b; ++i) {
      std::vector<std::int32_t> columns;
      for (const std::int32_t line : {-100, 0, 100})
        for (std::int32_t m = n + line - 1; m <= n + line + 1; ++m)
          for (std::int32_t j = 0; m >= 0 && m < nodes && j < b; ++j) columns.push_back(m * b + j);
      a.add_row(columns);
      const std::size_t first = a.val.size() - columns.size();
      for (std::size_t k = 0; k < columns.size(); ++k) a.val[first + k] = 1 + 0.01 * double(columns[k] - n * b) + i;
    }
  return a;
}

TEST(ModelTest, SaysBeforeBuildingWhereBlocksPay)
{
  const auto bccoo = bccoo_type<double, std::int32_t>;
  const auto ccoo  = ccoo_type<double, std::int32_t>;
  EXPECT_LT(predicted(random_blocks(2000, 6), bccoo), predicted(random_blocks(2000, 6), ccoo)) << "six unknowns a node";
  for (const Matrix &a : {five_diagonals(50000), random_columns(30000, 12)})
    EXPECT_GT(predicted(a, bccoo), 1.2 * predicted(a, ccoo)) << "single entries";
}

// Nothing is left of the values then, so that no blocks can be smaller, or faster, than what slides over the grid.
TEST(ModelTest, SaysBeforeBuildingThatBlocksOfConstantsAreForStencils)
{
  const auto bccoo     = bccoo_type<double, std::int32_t>;
  const auto ccoo      = ccoo_type<double, std::int32_t>;
  Matrix     a         = stencil_of_blocks(20000, 2);
  const auto ratio     = [&] { return predicted(a, bccoo) / predicted(a, ccoo); };
  const auto constants = ratio();
  EXPECT_GT(constants, 1.2);
  std::mt19937                           random(3);
  std::uniform_real_distribution<double> value(-1, 1);
  for (double &v : a.val) v = value(random);
  EXPECT_LT(ratio(), constants / 1.2) << "the same with random values";
}

TEST(ModelTest, IsTheSameEachTime)
{
  const Matrix a = random_columns(30000, 12);
  for (const Type &type : methods<double, std::int32_t>) EXPECT_EQ(predicted(a, type), predicted(a, type)) << type.name;
}

TEST(ModelTest, UnknownTypesArePlainCsr)
{
  const Matrix a    = five_diagonals(1000);
  Type         fake = fake_type<0>();
  fake.name         = "nobody knows it";
  EXPECT_GT(predicted(a, fake), 0);
  EXPECT_TRUE(std::isfinite(predicted(a, fake)));
}

} // namespace
} // namespace petscspmv::test
