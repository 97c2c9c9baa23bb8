// How ccoo keeps values: each coding where it fits and nowhere else, and the same bits whatever happens.

#include <bit>
#include <chrono>
#include <cmath>
#include <numeric>

#include "ccoo_checks.hpp"
#include "impls/ccoo/ccoo_layout.hpp"
#include "kernels/coding/tables.hpp"
#include "kernels/host/cache.hpp"
#include "kernels/lanes/isa.hpp"

namespace petscspmv::test {
namespace {

/// Most different values that a coding takes.
constexpr std::int64_t most_different(Coding values)
{
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  return values == Coding::constant     ? 1
         : values == Coding::table16    ? 16
         : values == Coding::table256   ? 256
         : values == Coding::table65536 ? 65536
                                        : none;
}

/// Slots of a group some of which may have a value of their own.
constexpr int most_mixed = ccoo::most_mixed_slots;

template <class F> class CcooValuesTest : public CcooFixture<F> {
protected:
  using typename CcooFixture<F>::Scalar;
  using typename CcooFixture<F>::Index;
  using typename CcooFixture<F>::P;
  using typename CcooFixture<F>::Matrix;
  using CcooFixture<F>::build;

  /// Value k of a set without end: floats, or numbers that are none. Zero is not among them.
  static Scalar value(std::int64_t k, bool single)
  {
    const double re = static_cast<double>(k + 1) / 64, im = static_cast<double>(k % 7) - 3;
    const double more = single ? 0 : 0x1p-50;
    if constexpr (IsComplex<Scalar>::value) return {re + more, im};
    else return re + more;
  }

  /// Gives the entries of `a` the values 0 .. n - 1 of the set in no order that repeats, each of them at least once.
  static void fill(Matrix &a, std::int64_t n, bool single)
  {
    ASSERT_GE(std::ssize(a.val), n);
    std::vector<std::int64_t> number(a.val.size());
    std::iota(number.begin(), number.begin() + n, 0);
    Random<double> random(61);
    for (auto k = static_cast<std::size_t>(n); k < number.size(); ++k) number[k] = random.integer(0, n - 1);
    for (std::size_t k = number.size() - 1; k > 0; --k)
      std::swap(number[k], number[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(k)))]);
    for (std::size_t k = 0; k < number.size(); ++k) a.val[k] = value(number[k], single);
  }

  /// A tile, for it has at most 4096 rows, in which every row has its columns at the same offsets, where they are
  /// inside.
  static Matrix one_tile(Index rows, Index entries)
  {
    Matrix a;
    a.cols = rows + entries;
    for (Index r = 0; r < rows; ++r) a.add_row(P::range(r, r + entries));
    return a;
  }

  static void check_products(const Matrix &a, const Settings &settings)
  {
    const auto problem = problem_with(a);
    for (const std::int64_t isa : instruction_sets<F>())
      for (const auto gather : {Gathers::loads, Gathers::instruction}) {
        Settings all = settings;
        all.insert(all.end(), {{"isa", isa}, {gather_option, gather}});
        auto format = build(a, all);
        ASSERT_EQ(anything_wrong(format, problem), "") << describe(ccoo_options(all));
      }
  }
};
TYPED_TEST_SUITE(CcooValuesTest, CcooTypes, FormatName);

// ---------------------------------------------------------------- codings

// Portable kernels look at raw values as at an array of numbers, and those of the piece before may be anything.
TEST(CodedBytes, LetAnyCodingFollow)
{
  for (std::int64_t c = 0; c < kernels::coding_count; ++c)
    for (std::size_t n = 0; n < 40; ++n) {
      EXPECT_EQ(kernels::coded_bytes<double>(static_cast<kernels::Coding>(c), n) % alignof(double), 0U) << n << " values, coding " << c;
      EXPECT_EQ(kernels::coded_bytes<std::complex<double>>(static_cast<kernels::Coding>(c), n) % alignof(double), 0U);
    }
}

TYPED_TEST(CcooValuesTest, EveryCodingHoldsWhereItFitsAndIsRawElsewhere)
{
  using Index = typename TestFixture::Index;
  for (const std::int64_t n : {1, 2, 15, 16, 17, 255, 256, 257, 65535, 65536, 65537}) {
    const bool large = n > 1000;
    auto       a     = this->one_tile(large ? 4096 : 64, static_cast<Index>(large ? 20 : 7));
    for (const bool single : {true, false}) {
      this->fill(a, n, single);
      for (const Coding values : {Coding::constant, Coding::table16, Coding::table256, Coding::table65536, Coding::single, Coding::raw})
        for (const auto tile : {TileChoice::diagonal, TileChoice::gather, TileChoice::chunk}) {
          if (tile == TileChoice::chunk && large) continue;     // several chunks
          if (tile == TileChoice::diagonal && n == 1) continue; // these values are with the patterns
          const Settings settings{{tile_option, tile}, {values_option, values}, {"rows", 4096}, {"table", 65536}, {"chunk", 4096}};
          const auto     format = this->build(a, settings);
          const bool     fits   = n <= most_different(values) && (values != Coding::single || single);
          const char    *pieces = tile == TileChoice::diagonal ? "diagonal tiles" : tile == TileChoice::gather ? "gather tiles" : "chunks";
          EXPECT_EQ(fact(format, pieces),
                    std::string("1 (values: ") + std::string(kernels::coding_names[fits ? values : Coding::raw]) + " 1)")
            << n << " different values, " << (single ? "floats" : "no floats") << ", " << describe(ccoo_options(settings));
          EXPECT_EQ(decoding_error(format, a.view()), "");
          if (!large) this->check_products(a, settings);
        }
    }
  }
}

// Slots with one value beside others, in groups that all rows fill, and with holes; a column that occurs twice; more
// slots than can be told apart.
TYPED_TEST(CcooValuesTest, SomeSlotsHaveOneValueAndOthersMany)
{
  using Index = typename TestFixture::Index;
  for (const Index entries : {7, 32, 33})
    for (const bool holes : {false, true}) {
      auto a = TestFixture::P::regular(0, 1, 0, 1);
      a.cols = 802 + entries;
      for (Index r = 0; r < 803; ++r) {
        auto columns = TestFixture::P::range(r, r + entries);
        if (holes && r % 5 == 3) columns.erase(columns.begin() + 2);
        if (holes && r % 40 < 8) columns[1] = columns[0];
        a.add_row(columns);
      }
      for (Index r = 0; r < a.rows; ++r)
        for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k)
          a.val[static_cast<std::size_t>(k)] = this->value((a.col[k] - r) % 3 == 1 ? r : 1000 + a.col[k] - r, false); // the last of 32, too
      const auto format = this->build(a, {{tile_option, TileChoice::diagonal}, {"rows", 64}});
      EXPECT_EQ(counted(format, "diagonal tiles", "in part with patterns") > 0, entries <= most_mixed) << fact(format, "diagonal tiles");
      this->check_products(a, {{tile_option, TileChoice::diagonal}, {"rows", 64}});
    }
}

TYPED_TEST(CcooValuesTest, AllChunksOfAMatrixMayShareATable)
{
  using Scalar = typename TestFixture::Scalar;
  for (const std::int64_t n : {65536, 65537}) {
    auto a = this->one_tile(4096, 20);
    this->fill(a, n, false);
    const auto format = this->build(a, {{tile_option, TileChoice::chunk}, {values_option, Coding::table65536}, {"table", 65536}});
    EXPECT_EQ(counted(format, "chunks"), 80);
    EXPECT_EQ(counted(format, "chunks", "table of 65536"), 80);
    EXPECT_EQ(counted(format, "tables of values"), n == 65536 ? 1 : 2);
    EXPECT_GE(bytes_of(format, {"tables of values"}), static_cast<std::size_t>(n) * sizeof(Scalar));
    EXPECT_EQ(decoding_error(format, a.view()), "");
  }
}

TYPED_TEST(CcooValuesTest, TablesAreNotLargerThanTheOptionAllows)
{
  for (const Coding values : {Coding::table16, Coding::table256, Coding::table65536})
    for (const std::int64_t n : {10, 11}) {
      auto a = this->one_tile(64, 7);
      this->fill(a, n, true);
      const auto format = this->build(a, {{tile_option, TileChoice::gather}, {values_option, values}, {"table", 10}});
      EXPECT_EQ(counted(format, "gather tiles", std::string(kernels::coding_names[n == 10 ? values : Coding::raw])), 1)
        << n << " different values";
    }
}

// What is chosen is for the tuning to say, but not that it is raw where half of the bytes would do and values come from
// memory. Lanes of a compiler's own take longer to look values up than memory takes to deliver them; those of Intel's
// servers take about as long for tables of 256.
TYPED_TEST(CcooValuesTest, WhatIsChosenTakesFewBytesWhereValuesAreFew)
{
  using Scalar             = typename TestFixture::Scalar;
  using Index              = typename TestFixture::Index;
  constexpr Index entries  = 20;
  const auto      rows     = static_cast<Index>(kernels::memory_bytes / (entries * std::int64_t(sizeof(Scalar) + sizeof(Index))) + 1000);
  const bool      looks_up = kernels::is_complex<Scalar> || kernels::best_isa() != kernels::Isa::portable;
  for (const auto tile : {TileChoice::diagonal, TileChoice::gather, TileChoice::chunk})
    for (const auto &[n, single] : {std::pair{1, false}, {12, false}, {200, false}, {100000, true}}) {
      if (n > 1 && !single && !looks_up) continue;
      auto a = this->one_tile(rows, entries);
      this->fill(a, n, single);
      const auto format    = this->build(a, {{tile_option, tile}});
      const auto pieces    = counted(format, "diagonal tiles") + counted(format, "gather tiles") + counted(format, "chunks");
      const auto padding   = static_cast<std::size_t>(pieces) * (kernels::coded_padding + 1) * sizeof(Scalar) / 2;
      const bool undecided = n == 200 && !kernels::is_complex<Scalar> && kernels::is_last_cache_slow();
      if (!undecided) {
        EXPECT_LE(value_bytes(format), a.val.size() * sizeof(Scalar) / 2 + padding)
          << n << " different values, " << fact(format, "diagonal tiles") << " " << fact(format, "gather tiles") << " "
          << fact(format, "chunks");
      }
      EXPECT_EQ(decoding_error(format, a.view()), "");
    }
}

// The smallest table is not always the cheapest: a processor may take longer to look up half a byte than a whole one.
TEST(TableBuilder, ChoosesTheCheapestCodingThatFits)
{
  const auto chosen = [](int different, kernels::CodingCosts decode) {
    kernels::CodingRules rules;
    rules.decode = decode;
    rules.byte   = 1;
    std::vector<double> values(10000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.1 + static_cast<double>(i % static_cast<std::size_t>(different));
    return kernels::TableBuilder<double>(rules).choose(values).coding;
  };
  using enum kernels::Coding;
  EXPECT_EQ(chosen(12, {0, 0, 0, 0, 0, 0, 0}), table16);
  EXPECT_EQ(chosen(12, {0, 1, 0, 0, 0, 0, 0}), table256);
  EXPECT_EQ(chosen(12, {0, 3, 3, 0, 0, 0, 0}), table65536);
  EXPECT_EQ(chosen(12, {0, 9, 9, 9, 9, 0, 0}), raw);
  EXPECT_EQ(chosen(100, {0, 0, 2, 0, 0, 0, 0}), table65536);
  EXPECT_EQ(chosen(100, {0, 0, 0, 0, 0, 0, 0}), table256);
  EXPECT_EQ(chosen(600, {0, 0, 0, 0, 0, 0, 0}), table65536) << "those that are cheaper are too small";
}

// Integers, fractions and powers of two differ in their upper bits only; tables are filled with them as fast as with
// any numbers.
TEST(DistinctValues, TakesNoKindOfNumbersLongerThanOthers)
{
  using Clock                = std::chrono::steady_clock;
  static constexpr int n     = 60000;
  const auto           taken = [](const auto &number) {
    const auto                      begin = Clock::now();
    kernels::DistinctValues<double> distinct;
    for (int k = 0; k < n; ++k) distinct.add(number(k));
    EXPECT_EQ(distinct.size(), n);
    return Clock::now() - begin;
  };
  Random<double> random(66);
  const auto     most = 50 * taken([&](int) { return random.number(); }) + std::chrono::milliseconds(50);
  EXPECT_LT(taken([](int k) { return k; }), most);
  EXPECT_LT(taken([](int k) { return k / 64.0; }), most);
  EXPECT_LT(taken([](int k) { return static_cast<float>(k) / 10; }), most);
  EXPECT_LT(taken([](int k) { return (2 * (k % 30) + 1) * std::ldexp(1.0, k / 30 - 1000); }), most)
    << "these are " << n << " different numbers";
}

// ---------------------------------------------------------------- bits

/// Numbers whose bits are easily lost. Those of the second half are no floats, or none that is kept as one.
std::vector<double> delicate()
{
  const auto   nan = [](std::uint64_t payload, std::uint64_t sign) { return std::bit_cast<double>(sign << 63 | 0x7ffULL << 52 | payload); };
  const double inf = std::numeric_limits<double>::infinity(), tiny = std::numeric_limits<double>::denorm_min();
  return {0.0,
          -0.0,
          inf,
          -inf,
          nan(1ULL << 51, 0),
          nan(1ULL << 51, 1),
          nan(3ULL << 50, 1),
          nan(1ULL << 51 | 1ULL << 29, 0),
          1.0,
          0x1p-126,
          -0x1p-126,
          0x1.fffffep127,
          tiny,
          -tiny,
          nan(1, 0),
          nan(1, 1),
          nan(1ULL << 51 | 1, 0),
          nan(1ULL << 50, 0),
          nan(1ULL << 29, 0),
          0x1p-1022,
          0x1p-149,
          0x1p-150,
          0x1p128,
          0.1,
          0x1.ffffffp127};
}

TYPED_TEST(CcooValuesTest, SignedZerosPayloadsInfinitiesAndDenormalsSurvive)
{
  using Scalar        = typename TestFixture::Scalar;
  const auto     all  = delicate();
  const auto     half = all.size() / 2;
  auto           a    = this->one_tile(200, 9);
  Random<double> random(62);
  for (const bool single : {true, false}) {
    const auto draw = [&] {
      return all[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(single ? half : all.size()) - 1))];
    };
    for (Scalar &v : a.val) {
      if constexpr (IsComplex<Scalar>::value) {
        const double re = draw();
        v               = Scalar(re, draw());
      } else v = draw();
    }
    for (const auto values : every(values_option))
      for (const auto tile : every(tile_option)) {
        auto format = this->build(a, {{tile_option, tile}, {values_option, values}});
        ASSERT_EQ(decoding_error(format, a.view()), "") << "tile " << tile_option.name(tile) << ", values " << values_option.name(values);
        if (tile == TileChoice::gather && values == Coding::single) {
          EXPECT_EQ(counted(format, "gather tiles", single ? "fp32" : "raw"), 1);
        }
        format.refresh(a.view());
        ASSERT_EQ(decoding_error(format, a.view()), "")
          << "refreshed, tile " << tile_option.name(tile) << ", values " << values_option.name(values);
      }
  }
}

// Constant but for one entry that compares equal, or to nothing.
TYPED_TEST(CcooValuesTest, OneValueWithOtherBitsIsNotLost)
{
  using Scalar = typename TestFixture::Scalar;
  for (const auto &[most, one] : {std::pair{0.0, -0.0}, {-0.0, 0.0}, {delicate()[4], delicate()[6]}, {delicate()[14], delicate()[16]}})
    for (const auto values : every(values_option))
      for (const auto tile : every(tile_option))
        for (const std::size_t at : {std::size_t(0), std::size_t(777), std::size_t(1799)}) {
          auto a = this->one_tile(200, 9);
          std::fill(a.val.begin(), a.val.end(), Scalar(most));
          auto refreshed = this->build(a, {{tile_option, tile}, {values_option, values}});
          a.val[at]      = Scalar(one);
          ASSERT_EQ(decoding_error(this->build(a, {{tile_option, tile}, {values_option, values}}), a.view()), "")
            << "tile " << tile_option.name(tile) << ", values " << values_option.name(values);
          refreshed.refresh(a.view());
          ASSERT_EQ(decoding_error(refreshed, a.view()), "")
            << "refreshed, tile " << tile_option.name(tile) << ", values " << values_option.name(values);
        }
}

// Values that change from tile to tile get tables in turn; pieces behind the last table have none.
TYPED_TEST(CcooValuesTest, TablesOfManyTilesAndChunks)
{
  for (const bool raw_first : {false, true})
    for (const auto tile : {TileChoice::automatic, TileChoice::gather, TileChoice::chunk}) {
      auto           a   = this->one_tile(3000, 6);
      const auto     raw = [&](std::size_t k) { return raw_first == (k < a.val.size() / 2); };
      Random<double> random(63);
      for (std::size_t k = 0; k < a.val.size(); ++k)
        a.val[k] =
          raw(k) ? random.number() : this->value(static_cast<std::int64_t>(k / 600) + static_cast<std::int64_t>(k % 4), k % 3 == 0);
      this->check_products(a, {{tile_option, tile}, {"rows", 32}, {"chunk", 30}});
    }
}

TYPED_TEST(CcooValuesTest, TablesOfManyRegions)
{
  for (const bool raw_first : {false, true}) {
    auto           a = TestFixture::P::random(140000, 140000, 64, [](auto r, auto &) { return r % 2; });
    Random<double> random(65);
    for (std::size_t k = 0; k < a.val.size(); ++k) a.val[k] = raw_first == (k < a.val.size() / 2) ? random.number() : this->value(0, true);
    auto format = this->build(a, {});
    ASSERT_EQ(anything_wrong(format, problem_with(a)), "");
  }
}

} // namespace
} // namespace petscspmv::test
