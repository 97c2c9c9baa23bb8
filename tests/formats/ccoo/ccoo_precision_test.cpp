// What the option `precision` lets ccoo lose: a tile all of whose values are in the range of floats, and which no
// lossless coding keeps in fewer bytes, has the nearest floats; products are those of the matrix of these, bit for bit.

#include <cmath>
#include <cstdio>
#include <limits>

#include "ccoo_images.hpp"
#include "formats/through_kokkos.hpp"
#include "support/rounded.hpp"

namespace petscspmv::test {
namespace {

const char *const lost_bits = "values that have lost bits";

template <class F> class CcooPrecisionTest : public CcooFixture<F> {
protected:
  using typename CcooFixture<F>::Scalar;
  using typename CcooFixture<F>::Index;
  using typename CcooFixture<F>::P;
  using typename CcooFixture<F>::Matrix;
  using CcooFixture<F>::build;

  /// Neighbours have columns beside each other, and lengths of which there are several; values that no coding but raw
  /// keeps.
  static Matrix uneven(unsigned seed = 67)
  {
    Random<Scalar> random(seed);
    Matrix         a;
    a.cols = 520;
    for (Index r = 0; r < 500; ++r) a.add_row(P::range(r, r + 3 + r / 7 % 5));
    a.val.resize(a.col.size());
    for (Scalar &v : a.val) v = random.number();
    return a;
  }

  /// The fact that all values of `a` have been rounded.
  static std::string all_rounded(const Matrix &a)
  {
    std::int64_t lost    = 0;
    double       largest = 0;
    const auto   look    = [&](double v) {
      largest = std::max(largest, v == 0 ? 0 : std::abs(rounded(v) - v) / std::abs(v));
      return rounded(v) != v;
    };
    for (const Scalar &v : a.val) {
      const bool real = look(std::real(v)), imag = look(std::imag(v));
      lost += real || imag;
    }
    char text[100];
    std::snprintf(text, sizeof text, "%lld, relative error %.2g at most", static_cast<long long>(lost), largest);
    return text;
  }
};
TYPED_TEST_SUITE(CcooPrecisionTest, CcooTypes, FormatName);

TYPED_TEST(CcooPrecisionTest, ProductsAreThoseOfTheRoundedMatrix)
{
  const auto a       = this->uneven();
  const auto kept    = rounded(a);
  const auto problem = problem_with(kept);
  for (const auto tile : {TileChoice::diagonal, TileChoice::gather, TileChoice::chunk})
    for (const std::int64_t isa : instruction_sets<TypeParam>())
      for (const auto gather : {Gathers::loads, Gathers::instruction}) {
        Settings settings{
          {tile_option, tile}, {"rows", 64}, {"chunk", 100}, {"isa", isa}, {gather_option, gather}, {precision_option, Precision::single}};
        SCOPED_TRACE(describe(ccoo_options(settings)));
        auto lossy      = this->build(a, settings);
        settings.back() = {values_option, Coding::single};
        auto floats     = this->build(kept, settings);
        ASSERT_EQ(anything_wrong(lossy, problem), "");
        for (const auto &c : problem.cases)
          ASSERT_TRUE(same_bits(problem.multiply(lossy, c, 0.5, -1.0), problem.multiply(floats, c, 0.5, -1.0)));
        EXPECT_EQ(fact(lossy, lost_bits), this->all_rounded(a));
        EXPECT_EQ(value_bytes(lossy), value_bytes(floats));
      }
}

TYPED_TEST(CcooPrecisionTest, NothingIsRoundedByDefault)
{
  const auto a      = this->uneven();
  const auto format = this->build(a, {{precision_option, Precision::full}});
  EXPECT_EQ(decoding_error(format, a.view()), "");
  for (const auto &[name, value] : format.facts()) {
    EXPECT_NE(name, lost_bits);
    EXPECT_EQ(value.find("rounded"), value.npos) << value;
  }
}

// Where fewer bytes do, and where floats are exact, nothing is lost.
TYPED_TEST(CcooPrecisionTest, LosslessCodingsStay)
{
  auto a = this->uneven();
  for (const double step : {0.1, 1.0, 0.5})
    for (const std::size_t different : {1, 12, 200}) {
      for (std::size_t k = 0; k < a.val.size(); ++k) a.val[k] = step * static_cast<double>(1 + k * k % different);
      for (const auto tile : {TileChoice::diagonal, TileChoice::gather, TileChoice::chunk})
        for (const Coding values : {Coding::table16, Coding::table256}) {
          if (values == Coding::table16 && different > 16) continue;
          const auto format = this->build(a, {{tile_option, tile}, {values_option, values}, {precision_option, Precision::single}});
          EXPECT_EQ(decoding_error(format, a.view()), "") << step << " " << different << " tile " << tile_option.name(tile);
          EXPECT_EQ(fact(format, lost_bits), "0, relative error 0 at most");
        }
    }
}

// A value whose float would be infinite, subnormal or another NaN keeps its tile, and no other one, as it is.
TYPED_TEST(CcooPrecisionTest, ValuesOutOfRangeKeepTheirTile)
{
  using Scalar     = typename TestFixture::Scalar;
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const auto &[special, fits] : {std::pair(0x1p128, false),
                                      {0x1.ffffffp127, false},
                                      {-0x1.fffffefffffffp127, true},
                                      {0x1.fffffffffffffp-127, false},
                                      {0x1p-149, false},
                                      {0x1p-1060, false},
                                      {0x1.0000001p-126, true},
                                      {0.0, true},
                                      {-0.0, true},
                                      {infinity, true},
                                      {-infinity, true},
                                      {nan, true},
                                      {std::bit_cast<double>(std::uint64_t(0x7ff8000000000001)), false}}) {
    auto a        = this->uneven();
    a.val[1]      = Scalar(special);
    auto expected = rounded(a);
    if (!fits) std::copy_n(a.val.begin(), a.row_ptr[64], expected.val.begin());
    const auto format = this->build(a, {{tile_option, TileChoice::gather}, {"rows", 64}, {precision_option, Precision::single}});
    EXPECT_EQ(decoding_error(format, expected.view()), "") << special;
    EXPECT_EQ(counted(format, "gather tiles", "raw"), fits ? 0 : 1) << special;
    EXPECT_EQ(counted(format, "gather tiles", "rounded to fp32"), fits ? 8 : 7) << special;
  }
}

TYPED_TEST(CcooPrecisionTest, NewValuesAreRoundedAnew)
{
  for (const auto tile : {TileChoice::diagonal, TileChoice::gather, TileChoice::chunk}) {
    auto a      = this->uneven(68);
    auto format = this->build(this->uneven(), {{tile_option, tile}, {"rows", 64}, {"chunk", 100}, {precision_option, Precision::single}});
    format.refresh(a.view());
    EXPECT_EQ(anything_wrong(format, problem_with(rounded(a))), "");
    EXPECT_EQ(fact(format, lost_bits), this->all_rounded(a));
    a.val[1] = 1e200; // its tile alone is as it is from now on
    format.refresh(a.view());
    auto expected = rounded(a);
    std::copy_n(a.val.begin(), tile == TileChoice::chunk ? 100 : a.row_ptr[64], expected.val.begin());
    EXPECT_EQ(decoding_error(format, expected.view()), "") << "tile " << tile_option.name(tile);
    EXPECT_NE(fact(format, lost_bits), this->all_rounded(a));
  }
}

TYPED_TEST(CcooPrecisionTest, KernelsThroughKokkosRoundToo)
{
  using Portable     = ThroughKokkos<TypeParam>;
  const auto a       = this->uneven();
  const auto problem = problem_with(rounded(a));
  const auto options = [](const Settings &settings) { return ccoo_options(settings); };
  for (const auto tile : {TileChoice::diagonal, TileChoice::gather, TileChoice::chunk}) {
    Portable single(a.view(), options({{tile_option, tile}, {precision_option, Precision::single}}), {MemorySpace::host, 2});
    Portable floats(problem.a.view(), options({{tile_option, tile}}), {MemorySpace::host, 2});
    for (const auto &c : problem.cases) {
      ASSERT_EQ(problem.wrong(single, c, 1.0, 0.0), "");
      ASSERT_TRUE(same_bits(problem.multiply(single, c, 0.5, -1.0), problem.multiply(floats, c, 0.5, -1.0)));
    }
    EXPECT_EQ(single.footprint().total() < floats.footprint().total(), true) << "tile " << tile_option.name(tile);
  }
}

TYPED_TEST(CcooPrecisionTest, ChunksAndBatchesForADeviceRound)
{
  const auto a = this->uneven();
  for (const auto batches : {When::never, When::always}) {
    const auto image = host_image(
      a.view(), ccoo_options({{tile_option, TileChoice::chunk}, {batches_option, batches}, {precision_option, Precision::single}}));
    EXPECT_EQ(decoding_error(image, rounded(a).view()), "") << "batches " << batches_option.name(batches);
  }
}

// Those of nodes and of units are rounded if they are real and all are in range; they take half of the room.
TYPED_TEST(CcooPrecisionTest, NodesAndUnitsForADeviceRound)
{
  using Scalar        = typename TestFixture::Scalar;
  using Index         = typename TestFixture::Index;
  constexpr bool real = std::is_same_v<Scalar, double>;
  for (auto a : {nodes_of<Scalar, Index>(3, true, false), TestFixture::P::stencil(12)}) {
    set_values(a, 5, false);
    const auto image = [&a](Precision precision) {
      return host_image(a.view(), ccoo_options(as_if_large({{precision_option, precision}})));
    };
    const auto exact = image(Precision::full), near = image(Precision::single);
    ASSERT_EQ(exact.entries_in_units + exact.entries_in_nodes, std::int64_t(a.val.size()));
    EXPECT_EQ(decoding_error(near, real ? rounded(a).view() : a.view()), "");
    EXPECT_EQ(near.entries_in_units, exact.entries_in_units);
    EXPECT_EQ((real ? 2 : 1) * (near.node_value.size() + near.unit_value.size()), exact.node_value.size() + exact.unit_value.size());
    a.val.back() = 1e-60;
    EXPECT_EQ(decoding_error(image(Precision::single), a.view()), "");
  }
}

} // namespace
} // namespace petscspmv::test
