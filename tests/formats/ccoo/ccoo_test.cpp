// What is known of ccoo alone: every entry comes back as it was given, whatever it was coded as, and it is never large.

#include "ccoo_checks.hpp"

namespace petscspmv::test {
namespace {

template <class F> using CcooTest = CcooFixture<F>;
TYPED_TEST_SUITE(CcooTest, CcooTypes, FormatName);

/// Values of the other options, which take turns.
const std::vector<Settings> &shapes()
{
  static const std::vector<Settings> list{{},
                                          {{"rows", 8}, {"chunk", 1}, {"longest", 1}, {"node", 1}, {"table", 1}},
                                          {{"rows", 48}, {"chunk", 7}, {"longest", 3}, {"node", 2}, {"table", 3}},
                                          {{"rows", 100}, {"chunk", 64}, {"longest", 40}, {"node", 3}, {"table", 17}},
                                          {{"rows", 4096}, {"chunk", 4096}, {"longest", 32767}, {"node", 5}, {"table", 65536}}};
  return list;
}

// Random values and small integers: the first are raw, the others fit tables and floats.
TYPED_TEST(CcooTest, DecodesToTheCsrMatrix)
{
  std::size_t turn = 0;
  for (const auto &named : matrices<typename TestFixture::Scalar, typename TestFixture::Index>())
    for (const bool integers : {false, true}) {
      if (named.fixed_values && integers) continue;
      auto a = named.pattern();
      if (!named.fixed_values) set_values(a, 5, integers);
      for (const auto tile : every(tile_option))
        for (const auto values : every(values_option))
          for (const auto columns : every(columns_option)) {
            if (named.large && (columns > ColumnBits::bits8 || petscspmv::number_of(values) % 3 != 0)) continue;
            Settings settings = named.large ? Settings{} : shapes()[turn++ % shapes().size()];
            settings.insert(
              settings.end(),
              {{tile_option, tile}, {values_option, values}, {columns_option, columns}, {"order", std::int64_t(turn) % 3 + 1}});
            const OptionValues options = ccoo_options(settings);
            const TypeParam    format(a.view(), options, {MemorySpace::host, 1 + static_cast<int>(turn % 2)});
            ASSERT_EQ(decoding_error(format, a.view()), "") << named.name << ", " << describe(options);
          }
    }
}

TYPED_TEST(CcooTest, IsNeverMuchLargerThanCsr)
{
  for (const auto &named : matrices<typename TestFixture::Scalar, typename TestFixture::Index>())
    for (const bool integers : {false, true}) {
      if (named.fixed_values && integers) continue;
      auto a = named.pattern();
      if (!named.fixed_values) set_values(a, 6, integers);
      const auto      format = this->build(a, {});
      const Footprint f      = format.footprint();
      EXPECT_LE(f.total(), bytes_allowed(a.view())) << named.name << (integers ? ", integers" : "");
      EXPECT_EQ(f.borrowed(), 0U);
      EXPECT_EQ(f.total(), TypeParam::predicted_bytes(a.view(), ccoo_options({}))) << named.name << (integers ? ", integers" : "");
    }
}

// Neither the shape of the pattern nor that of the nodes helps here.
TYPED_TEST(CcooTest, IsNotLargerThanCsrForWhatCannotBeCompressed)
{
  using P = typename TestFixture::P;
  for (const auto &a : {P::regular(3000, 200000, 20, 81), P::random(20000, 100000, 82, [](auto r, auto &) { return r % 3; }),
                        P::random(5000, 5000, 83, [](auto, auto &random) { return random.integer(0, 3) ? 1 : 60; })})
    EXPECT_LE(this->build(this->valued(a), {}).footprint().total(), bytes_allowed(a.view()));
}

TYPED_TEST(CcooTest, AStencilWithConstantCoefficientsTakesNextToNothing)
{
  auto a = TestFixture::P::stencil(64);
  for (auto [r, c, v] : a.entries()) v = c == r ? 6 : -1;
  const auto format = this->build(a, {});
  EXPECT_LT(static_cast<double>(format.footprint().total()), 0.1 * static_cast<double>(a.val.size()));
  EXPECT_EQ(decoding_error(format, a.view()), "");
}

// ---------------------------------------------------------------- threads

// The contract has the defaults; here each kind of tile.
TYPED_TEST(CcooTest, GivesTheSameBitsForAnyNumberOfThreads)
{
  const auto problem = this->uneven_rows();
  for (const auto tile : every(tile_option))
    for (std::int64_t chunk : {5, 64, 1024})
      this->expect_same_bits_with_threads(problem, {{tile_option, tile}, {"chunk", chunk}, {"rows", 64}, {"longest", 100}});
}

// ---------------------------------------------------------------- what is refused

TYPED_TEST(CcooTest, RefusesWhatThirtyTwoBitsCannotNumber)
{
  using Index                   = typename TestFixture::Index;
  const Index              most = std::numeric_limits<std::int32_t>::max();
  const std::vector<Index> too_many{most, static_cast<Index>(sizeof(Index) > 4 ? std::int64_t(most) + 1 : most),
                                    std::numeric_limits<Index>::max()};
  for (const Index n : too_many) this->expect_that_so_many_are_refused(n);
  EXPECT_EQ(this->refusal({0, most - 1}), "");
}

TEST(Gathers, AreAsAskedForWhereTheProcessorHasThem)
{
  using kernels::Isa, ccoo::chosen_gathers;
  for (const Isa isa : {Isa::portable, Isa::avx2})
    for (const auto asked : every(gather_option))
      EXPECT_EQ(chosen_gathers(asked, isa), Gathers::loads) << "there is no other way without AVX-512";
  if (!kernels::available(Isa::avx512)) return;
  EXPECT_EQ(chosen_gathers(Gathers::loads, Isa::avx512), Gathers::loads);
  EXPECT_EQ(chosen_gathers(Gathers::instruction, Isa::avx512), Gathers::instruction);
}

} // namespace
} // namespace petscspmv::test
