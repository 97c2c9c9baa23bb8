// New values in a ccoo: the codings stay where the values still fit, and nothing else is coded again.

#include <bit>
#include <complex>
#include <cstring>
#include <limits>
#include <vector>

#include "ccoo_checks.hpp"
#include "kernels/host/cache.hpp"
#include "impls/ccoo/tiles/store.hpp"

namespace petscspmv::test {
namespace {

template <class F> class CcooRefreshTest : public CcooFixture<F> {
protected:
  using typename CcooFixture<F>::Scalar;
  using typename CcooFixture<F>::Index;
  using typename CcooFixture<F>::P;
  using typename CcooFixture<F>::Matrix;

  /// Takes the values of `a`, and is then right; what is wrong else.
  static std::string refreshed(F &format, const Matrix &a)
  {
    format.refresh(a.view());
    return anything_wrong(format, problem_with(a));
  }

  /// All facts in one line.
  static std::string facts(const F &format)
  {
    std::string text;
    for (const auto &[name, value] : format.facts()) text += name + ": " + value + "; ";
    return text;
  }

  static Scalar number(double re)
  {
    if constexpr (IsComplex<Scalar>::value) return {re, -re};
    else return re;
  }

  static void stencil_values(Matrix &a, double diagonal, double other)
  {
    for (auto [r, c, v] : a.entries()) v = number(c == r ? diagonal : other);
  }

  /// Entries of `a`, from all over it, get another value and then their own again, one after the other.
  static void change_each_alone(F &format, Matrix &a)
  {
    for (std::size_t k = 0; k < a.val.size(); k += 391) {
      const auto before = std::exchange(a.val[k], number(0.1 + static_cast<double>(k)));
      ASSERT_EQ(refreshed(format, a), "") << "entry " << k << " changed";
      a.val[k] = before;
      format.refresh(a.view());
      ASSERT_EQ(decoding_error(format, a.view()), "") << "entry " << k << " as before";
    }
  }

  /// A graph with weights 1, 2, .. n.
  static Matrix graph(Index n)
  {
    Matrix a = P::random(4000, 4000, 91, [](Index, auto &random) { return random.integer(1, 9); });
    for (std::size_t k = 0; k < a.val.size(); ++k) a.val[k] = number(static_cast<double>(1 + k * k % n));
    return a;
  }
};
TYPED_TEST_SUITE(CcooRefreshTest, CcooTypes, FormatName);

TYPED_TEST(CcooRefreshTest, TheSameValuesGiveTheSameBits)
{
  using Problem = test::Problem<typename TestFixture::Scalar, typename TestFixture::Index>;
  for (const auto &named : matrices<typename TestFixture::Scalar, typename TestFixture::Index>()) {
    if (named.large) continue;
    for (const auto tile : every(tile_option))
      for (const Mode mode : {Mode::rounded, Mode::exact}) {
        const Problem     problem(named, mode);
        auto              format = this->build(problem.a, {{tile_option, tile}, {"chunk", 64}});
        const auto        before = Problem::multiply(format, problem.cases[0], 0.5, -1.0);
        const std::string facts  = this->facts(format);
        format.refresh(problem.a.view());
        ASSERT_EQ(decoding_error(format, problem.a.view()), "") << named.name;
        ASSERT_EQ(facts, this->facts(format)) << named.name;
        ASSERT_TRUE(same_bits(before, Problem::multiply(format, problem.cases[0], 0.5, -1.0))) << named.name;
      }
  }
}

// A tile of many kinds of rows may be coded with a table; it gets one of its own, and only one.
TYPED_TEST(CcooRefreshTest, ConstantsOfAStencilChange)
{
  for (const auto tile : {TileChoice::automatic, TileChoice::diagonal}) {
    if (tile == TileChoice::automatic && IsComplex<typename TestFixture::Scalar>::value) continue; // gathers
    auto a = TestFixture::P::stencil(20);
    this->stencil_values(a, 6, -1);
    auto               format = this->build(a, {{tile_option, tile}});
    const std::string  tiles  = fact(format, "diagonal tiles");
    const std::int64_t tables = counted(format, "tables of values");
    ASSERT_GT(counted(format, "diagonal tiles", "with patterns"), 2 * tables) << tiles;
    std::size_t bytes = 0;
    for (const double diagonal : {6.5, 1.0 / 3, 0.0, 6.0}) {
      this->stencil_values(a, diagonal, -1.0 / 7);
      ASSERT_EQ(this->refreshed(format, a), "");
      EXPECT_EQ(tiles, fact(format, "diagonal tiles"));
      EXPECT_LE(counted(format, "tables of values"), 2 * tables);
      if (bytes == 0) bytes = format.footprint().total();
      EXPECT_EQ(bytes, format.footprint().total());
    }
  }
}

// A group of empty rows at the end has fewer rows than others, and nothing is read behind the row pointer.
TYPED_TEST(CcooRefreshTest, EmptyRowsAtTheEnd)
{
  for (const auto tile : {TileChoice::automatic, TileChoice::diagonal})
    for (int empty = 1; empty <= 20; ++empty) {
      auto a = TestFixture::P::stencil(20);
      this->stencil_values(a, 6, -1);
      for (int r = 0; r < empty; ++r) a.add_row({});
      a.row_ptr.shrink_to_fit();
      auto format = this->build(a, {{tile_option, tile}});
      this->stencil_values(a, 6.5, -1);
      ASSERT_EQ(this->refreshed(format, a), "") << empty << " empty rows";
    }
}

// Where the stencil is but a part, patterns must follow their values: tiles that do not fit them are few, and would be
// coded again.
TYPED_TEST(CcooRefreshTest, ConstantsOfASmallPartChange)
{
  using Index      = typename TestFixture::Index;
  auto a           = this->graph(100000);
  a.cols           = 9000;
  const Index from = a.rows, entries = a.row_ptr[from];
  for (Index r = 0; r < 1030; ++r) a.add_row({r + 5000, r + 5001, r + 5002, r + 5100});
  const auto set = [&](double value) {
    for (Index k = entries; k < a.row_ptr[a.rows]; ++k) a.val[k] = this->number(value * static_cast<double>(1 + (k - entries) % 4));
  };
  set(1);
  auto               format        = this->build(a, {{"rows", 128}});
  const std::int64_t with_patterns = counted(format, "diagonal tiles", "with patterns"), tiles = counted(format, "gather tiles");
  ASSERT_GE(with_patterns, 6) << this->facts(format);
  ASSERT_GT(tiles, 3 * with_patterns) << this->facts(format);
  for (const double value : {0.5, -3.0}) { // floats, as those in the tiles beside are
    set(value);
    ASSERT_EQ(this->refreshed(format, a), "");
    EXPECT_EQ(counted(format, "diagonal tiles", "with patterns"), with_patterns) << this->facts(format);
  }
}

// One row of a stencil: its tile has values of its own from then on, the others stay as they are. The row is not the
// first of its kind.
TYPED_TEST(CcooRefreshTest, OneValueOfAStencilChanges)
{
  auto a = TestFixture::P::stencil(20);
  this->stencil_values(a, 6, -1);
  auto               format = this->build(a, {{tile_option, TileChoice::diagonal}});
  const std::int64_t tiles = counted(format, "diagonal tiles"), with_patterns = counted(format, "diagonal tiles", "with patterns");
  ASSERT_GE(with_patterns, tiles - 1) << this->facts(format);
  std::int64_t others = 0;
  for (const auto row : {7000, 7001, 3000}) { // two in one tile
    a.val[a.row_ptr[row]] = this->number(0.1);
    ASSERT_EQ(this->refreshed(format, a), "");
    others += row != 7001;
    EXPECT_EQ(counted(format, "diagonal tiles"), tiles);
    EXPECT_EQ(counted(format, "diagonal tiles", "with patterns"), with_patterns - others) << this->facts(format);
  }
  this->stencil_values(a, 6, -1);
  ASSERT_EQ(this->refreshed(format, a), "");
  EXPECT_LE(format.footprint().total(), bytes_allowed(a.view()));
}

// The first row that looks so is where a pattern takes its values from. Also where the diagonal changes from row to
// row, beside constants.
TYPED_TEST(CcooRefreshTest, AnyOneValueOfAStencilChanges)
{
  const auto change = [this](bool constant, const Settings &settings) {
    auto a = TestFixture::P::stencil(12);
    for (auto [r, c, v] : a.entries()) v = this->number(c != r ? -1 : constant ? 6 : 6 + 1 / (1.5 + static_cast<double>(r)));
    auto format = this->build(a, settings);
    this->change_each_alone(format, a);
  };
  for (const std::int64_t rows : {0, 64}) ASSERT_NO_FATAL_FAILURE(change(true, {{"rows", rows}}));
  for (const auto values : Codings{std::nullopt, Coding::raw, Coding::table256})
    ASSERT_NO_FATAL_FAILURE(change(false, {{values_option, values}}));
}

// Where only the diagonal changes from row to row, it alone is kept entry by entry.
TYPED_TEST(CcooRefreshTest, DiagonalThatChangesBesideConstants)
{
  using Index         = typename TestFixture::Index;
  auto       a        = TestFixture::P::stencil(20);
  const auto diagonal = [&](double first, double other, Index kinds) {
    for (auto [r, c, v] : a.entries())
      v = this->number(c != r ? other : kinds > 0 ? first + static_cast<double>(r * 7 % kinds) : 1 / (first + r));
  };
  const auto in_part = [](const auto &format) { return counted(format, "diagonal tiles", "in part with patterns"); };
  diagonal(0.3, -1, 0);
  auto               format = this->build(a, {{tile_option, TileChoice::diagonal}});
  const std::int64_t tiles  = counted(format, "diagonal tiles");
  ASSERT_EQ(in_part(format), tiles) << this->facts(format);
  ASSERT_EQ(anything_wrong(format, problem_with(a)), "");
  EXPECT_EQ(bytes_of(format, {"values"}), static_cast<std::size_t>(a.rows) * sizeof(a.val[0]));
  for (const Index kinds : {0, 11, 0}) { // other values in the same places, all of them scaled, and a few that a table could have
    diagonal(0.7, -1.0 / 7, kinds);
    ASSERT_EQ(this->refreshed(format, a), "");
    EXPECT_EQ(in_part(format), tiles) << this->facts(format);
  }
  // A coefficient that is none any more, in the first group that looks so and in a later one: its tile has all values
  // then.
  std::int64_t others = 0;
  for (const Index row : {7000, 7001, 3000}) {
    a.val[a.row_ptr[row]] = this->number(0.1);
    ASSERT_EQ(this->refreshed(format, a), "");
    others += row != 7001;
    EXPECT_EQ(in_part(format), tiles - others) << this->facts(format);
  }
  // A table that its values do not fit any more. Real numbers have to ask for it, since it does not pay with every
  // instruction set.
  diagonal(0.5, -1, 200);
  const auto        coding = IsComplex<typename TestFixture::Scalar>::value ? std::optional<Coding>() : Coding::table256;
  auto              coded  = this->build(a, {{tile_option, TileChoice::diagonal}, {values_option, coding}});
  const std::size_t bytes  = bytes_of(coded, {"values"});
  ASSERT_EQ(in_part(coded), tiles) << this->facts(coded);
  diagonal(0.5, -1, 0);
  ASSERT_EQ(this->refreshed(coded, a), "");
  EXPECT_GT(bytes_of(coded, {"values"}), bytes);
  EXPECT_EQ(in_part(coded), tiles) << this->facts(coded);
}

// Tiles of a graph, chunks of the paper's form, pieces of long rows: one value that its table or its float cannot be.
TYPED_TEST(CcooRefreshTest, OneValueThatDoesNotFitItsCoding)
{
  const auto long_rows = [] {
    auto a = TestFixture::P::regular(3, 100000, 1, 92);
    for (int r = 0; r < 3; ++r) a.add_row(TestFixture::P::range(r, 90000));
    return a;
  }();
  for (const Coding values : {Coding::constant, Coding::table16, Coding::table256, Coding::table65536, Coding::single})
    for (const char *const pieces : {"gather tiles", "chunks", "pieces"}) {
      const std::string of = pieces == std::string("gather tiles") ? "gather tiles" : "chunks";
      auto              a  = pieces == std::string("pieces") ? long_rows : this->graph(values == Coding::constant ? 1 : 11);
      if (pieces == std::string("pieces"))
        for (std::size_t k = 0; k < a.val.size(); ++k)
          a.val[k] = this->number(values == Coding::constant ? 1 : static_cast<double>(k % 11));
      auto               format = this->build(a, {{tile_option, pieces == std::string("chunks") ? TileChoice::chunk : TileChoice::gather},
                                                  {values_option, values},
                                                  {"rows", 256},
                                                  {"node", 1}});
      const std::int64_t n      = counted(format, of, std::string(kernels::coding_names[values]));
      ASSERT_GT(n, 8) << this->facts(format);
      const std::int64_t all  = counted(format, of);
      a.val[a.val.size() / 2] = this->number(0.1);
      ASSERT_EQ(this->refreshed(format, a), "");
      EXPECT_EQ(counted(format, of), all);
      EXPECT_EQ(counted(format, of, std::string(kernels::coding_names[values])),
                n - (values == Coding::constant || values == Coding::single))
        << this->facts(format);
      a.val[a.val.size() / 2] = this->number(1);
      ASSERT_EQ(this->refreshed(format, a), "");
      EXPECT_EQ(counted(format, of), all);
      EXPECT_LE(format.footprint().total(), bytes_allowed(a.view()));
    }
}

// Coefficients that get other values everywhere, also where two of them are the same for a while: codes stay, tables
// change.
TYPED_TEST(CcooRefreshTest, ValuesOfTablesChangeTogether)
{
  const std::pair<Coding, std::size_t> kinds[] = {
    {Coding::constant, 1}, {Coding::table16, 11}, {Coding::table256, 200}, {Coding::table65536, 2000}};
  for (const auto &[values, n] : kinds)
    for (const auto tile : {TileChoice::gather, TileChoice::chunk}) {
      auto a      = this->graph(static_cast<typename TestFixture::Index>(n));
      auto format = this->build(a, {{tile_option, tile}, {values_option, values}, {"rows", 256}, {"node", 1}});
      ASSERT_EQ(this->refreshed(format, a), "");
      const std::string facts = this->facts(format);
      const auto        kind  = [n = n](std::size_t k) { return 1 + k * k % n; };
      const auto        set   = [&](double factor, std::size_t equal) {
        for (std::size_t k = 0; k < a.val.size(); ++k)
          a.val[k] = this->number(factor * static_cast<double>(kind(k) <= equal ? 1 : kind(k)));
      };
      for (const auto &[factor, equal] : {std::pair(0.1, 0), {0.3, 5}, {7.0, 0}, {7.0, 5}}) {
        set(factor, static_cast<std::size_t>(equal));
        ASSERT_EQ(this->refreshed(format, a), "");
        EXPECT_EQ(facts, this->facts(format));
      }
      a.val[a.val.size() / 2] = this->number(n > 1 ? 7 : 8); // one that its table has twice by now
      ASSERT_EQ(this->refreshed(format, a), "");
    }
}

TYPED_TEST(CcooRefreshTest, AllValuesChangeAndComeBack)
{
  for (const auto tile : every(tile_option)) {
    auto constants = TestFixture::P::stencil(14);
    this->stencil_values(constants, 6, -1);
    auto values = constants;
    set_values(values, 17, false);
    auto              format = this->build(constants, {{tile_option, tile}});
    const std::string facts  = this->facts(format);
    const std::size_t bytes  = format.footprint().total();
    ASSERT_EQ(this->refreshed(format, values), "");
    EXPECT_LE(format.footprint().total(), bytes_allowed(values.view()));
    EXPECT_GE(format.footprint().total(), values.val.size() * sizeof(values.val[0]));
    for (const bool few : {true, false, false}) {
      set_values(values, 18, few);
      ASSERT_EQ(this->refreshed(format, values), "");
    }
    ASSERT_EQ(this->refreshed(format, constants), "");
    EXPECT_LE(format.footprint().total(), bytes_allowed(constants.view()));
    EXPECT_EQ(facts, this->facts(TestFixture::build(constants, {{tile_option, tile}})));
    EXPECT_EQ(bytes, TypeParam::predicted_bytes(constants.view(), ccoo_options({{tile_option, tile}})));
  }
}

// A boundary whose few values are others in every step: what was coded again before must not be kept for ever.
TYPED_TEST(CcooRefreshTest, ManyRefreshesTakeNoMoreMemoryThanOne)
{
  for (const auto tile : {TileChoice::automatic, TileChoice::chunk}) {
    auto a      = this->graph(5);
    auto format = this->build(a, {{tile_option, tile}, {"rows", 64}, {"chunk", 128}});
    for (int step = 0; step < 500; ++step) {
      for (std::size_t k = 0; k < 200; ++k) a.val[k] = this->number(step + 0.1 * static_cast<double>(k % 7));
      format.refresh(a.view());
      ASSERT_LE(format.footprint().total(), bytes_allowed(a.view())) << "after " << step << " steps";
      ASSERT_LE(counted(format, "tables of values"), 20) << "after " << step << " steps";
    }
    ASSERT_EQ(anything_wrong(format, problem_with(a)), "");
  }
}

// Values that no cache holds are written past the caches, in a tile for which nothing is asked early, too: the last
// one.
TEST(CcooRefresh, ValuesThatNoCacheHoldsAreThoseOfTheMatrix)
{
  using F               = Ccoo<double, std::int32_t>;
  constexpr int length  = 41;
  const auto    entries = kernels::last_level_cache() / std::int64_t(sizeof(double)) + 1000000;
  const auto    rows    = static_cast<std::int32_t>(entries / (length - 4));
  if (entries > 40000000) GTEST_SKIP() << "the last-level cache has " << kernels::last_level_cache() << " bytes";
  auto a = Patterns<double, std::int32_t>::random(rows, 3000, 92, [](std::int32_t r, auto &) { return length - r % 8; });
  set_values(a, 93, false);
  F format(a.view(), ccoo_options({{tile_option, TileChoice::gather}}), {MemorySpace::host, 2});
  set_values(a, 94, false);
  format.refresh(a.view());
  ASSERT_GT(bytes_of(format, {"values"}), std::size_t(kernels::last_level_cache()));
  EXPECT_EQ(decoding_error(format, a.view()), "");
}

TEST(Stores, KeepAllBits)
{
  const std::vector<double> values{
    0.0, -0.0, 5e-324, -std::numeric_limits<double>::infinity(), std::bit_cast<double>(0x7ff4000000000123), 1.0 / 3};
  for (const std::size_t from : {0, 1}) {
    std::vector<double>               real(values.size() + 2, 7);
    std::vector<std::complex<double>> complex(values.size() + 2, 7);
    for (std::size_t i = 0; i < values.size(); ++i) {
      ccoo::PastCaches::store(&real[from + i], values[i]);
      ccoo::PastCaches::store(&complex[from + i], {values[i], values[values.size() - 1 - i]});
    }
    ccoo::PastCaches::finish();
    EXPECT_EQ(std::memcmp(real.data() + from, values.data(), values.size() * sizeof(double)), 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_TRUE(kernels::same_bits(complex[from + i].real(), values[i]));
      EXPECT_TRUE(kernels::same_bits(complex[from + i].imag(), values[values.size() - 1 - i]));
    }
    EXPECT_EQ(real[from + values.size()], 7);
    EXPECT_EQ(complex[from + values.size()], 7.0);
  }
}

} // namespace
} // namespace petscspmv::test
