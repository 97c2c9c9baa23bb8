// The contract for the kernels through Kokkos, on the host: with one thread by Kokkos' Serial, with several by its
// OpenMP.

#include <string>
#include <utility>
#include <vector>

#include "columns_contract.hpp"
#include "format_contract.hpp"
#include "settings.hpp"
#include "through_kokkos.hpp"

namespace petscspmv::test {

INSTANTIATE_TYPED_TEST_SUITE_P(Kokkos, FormatTest, Portable<Formats>::types, FormatName);
INSTANTIATE_TYPED_TEST_SUITE_P(Kokkos, ColumnsTest, Portable<Formats>::types, FormatName);

using Real = Portable<AllFormats<double, std::int32_t>>;

// Tiles as on a device; with one thread a team, so that large matrices can be tested, too.
INSTANTIATE_TYPED_TEST_SUITE_P(KokkosInTeams, FormatTest, Real::in_teams, FormatName);
INSTANTIATE_TYPED_TEST_SUITE_P(KokkosInTeams, ColumnsTest, Real::in_teams, FormatName);

namespace {

template <class F> using KokkosTeamsTest = FormatTest<F>;
TYPED_TEST_SUITE(KokkosTeamsTest, Real::types, FormatName);

// On a device, threads of a team share the work on a tile, which on the host only one has to do; unless it is asked
// for. Tiles then are as on a device.
TYPED_TEST(KokkosTeamsTest, TeamsOfSeveralThreadsAndLanes)
{
  using Problem = typename TestFixture::Problem;
  if (runtime::max_threads() < 4) GTEST_SKIP() << "Kokkos has less than four threads.";
#if defined(__has_feature)
  #if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "The thread sanitizer does not see how Kokkos' threads of a team wait for one another.";
  #endif
#endif
  for (const auto &named : this->all()) {
    if (named.large) continue;
    const Problem exact(named, Mode::exact), rounded(named, Mode::rounded);
    if (exact.a.val.size() > 1000) continue; // threads of a team wait for one another, and there may be more of them than processors
    for (const OptionValues &options : option_variants<TypeParam>(1)) {
      for (const auto &[team, lanes] : {std::pair(2, 1), std::pair(4, 4), std::pair(3, 2)}) {
        SCOPED_TRACE(named.name + ", " + describe(options) + "team of " + std::to_string(team) + " x " + std::to_string(lanes));
        TypeParam format(exact.a.view(), options, this->threads(4), team, lanes);
        for (const auto &c : exact.cases) {
          if (named.fixed_values) continue;
          ASSERT_EQ(exact.wrong(format, c, -1.0, 0.5), "");
        }
        format.refresh(rounded.a.view());
        for (const auto &c : rounded.cases) {
          ASSERT_EQ(rounded.wrong(format, c, 1.0, 0.0), "");
          ASSERT_TRUE(same_bits(Problem::multiply(format, c, 0.5, -1.0), Problem::multiply(format, c, 0.5, -1.0)));
        }
        const Columns columns(rounded, 11, Mode::rounded);
        ASSERT_EQ(columns.wrong(format, 0.5, -1.0, Mode::rounded), "");
        ASSERT_TRUE(same_bits(columns.multiply(format, 0.5, -1.0), columns.multiply(format, 0.5, -1.0)));
      }
    }
  }
}

// What they write besides Y has room for eight columns of X.
TYPED_TEST(KokkosTeamsTest, SeveralVectorsTakeMemoryOnce)
{
  const typename TestFixture::Problem problem(Patterns<double, std::int32_t>::regular(300, 500, 3, 41), Mode::rounded);
  TypeParam                           format(problem.a.view(), OptionValues(TypeParam::options()), this->threads(1));
  const std::string                   expected = std::to_string(sizeof(double) * 8 * 500);
  const auto                          told     = [&format] {
    for (const auto &[name, value] : format.facts())
      if (name == "bytes for several vectors") return value;
    return std::string();
  };
  EXPECT_EQ(told(), "");
  for (const int columns : {2, 8, 9}) {
    EXPECT_EQ(Columns(problem, columns, Mode::rounded).wrong(format, 1.0, 0.0, Mode::rounded), "");
    EXPECT_EQ(told(), expected);
  }
}

/// What a matrix says of itself.
template <template <class, class> class F, class Matrix> Facts facts_of(const Matrix &a, const Settings &settings = {})
{
  using Portable = ThroughKokkos<F<double, std::int32_t>>;
  return Portable(a.view(), options_of<Portable>(settings), {MemorySpace::host, 1}, 1, 1).facts();
}

using P = Patterns<double, std::int32_t>;

/// Short rows, and a few of so many entries.
CsrMatrix<double, std::int32_t> longest(std::int32_t entries)
{
  CsrMatrix<double, std::int32_t> a = P::random(3000, 40000, 55, [=](std::int32_t r, auto &) { return r % 1000 ? r % 3 : entries; });
  set_values(a, 1, false);
  return a;
}

// So that all kinds of pieces are among the matrices that are tested: they are made of what they are meant for.
TEST(KokkosPieces, SuitTheMatrix)
{
  CsrMatrix<double, std::int32_t> stencil = P::stencil(20);
  stencil.val.assign(stencil.col.size(), -1.0);
  EXPECT_EQ(fact(facts_of<Ccoo>(stencil), "units"), "63 (63 with values of slots)");
  EXPECT_EQ(fact(facts_of<Ccoo>(stencil), "slices"), "0");
  EXPECT_EQ(fact(facts_of<Ccoo>(stencil, {{"tile", 2}}), "units"), "0 (0 with values of slots)");
  EXPECT_EQ(fact(facts_of<Ccoo>(stencil, {{"tile", 3}}), "slices"), "0");
  EXPECT_EQ(fact(facts_of<AijSpec>(stencil), "cut rows"), "0");
  EXPECT_EQ(fact(facts_of<AijSpec>(stencil), "pieces of dirty tiles"), "0");

  const auto rows = longest(30000);
  EXPECT_NE(fact(facts_of<Ccoo>(rows), "chunks"), "0");
  EXPECT_NE(fact(facts_of<Ccoo>(rows), "slices"), "0");
  EXPECT_EQ(fact(facts_of<Ccoo>(rows), "values"), "raw");
  EXPECT_NE(fact(facts_of<AijSpec>(longest(3000)), "cut rows"), "0");
  const auto empty = P::random(5000, 100, 56, [](std::int32_t r, auto &) { return r % 1000 ? 0 : 30; });
  EXPECT_NE(fact(facts_of<AijSpec>(empty), "pieces of dirty tiles"), "0");
  EXPECT_EQ(fact(facts_of<AijLight>(rows), "long rows"), "3");
  EXPECT_NE(fact(facts_of<Bccoo>(rows), "cut rows"), "0");
}

// Tiles cut such a row in as many parts as it has windows of 896 entries. On the host, where they are longer or
// shorter, it stays with them.
TEST(KokkosPieces, TicketsAreDealtWhereARowIsLongerThanManyTiles)
{
  EXPECT_NE(fact(facts_of<AijSpec>(longest(8 * 896)), "tiles"), "0");
  const auto rows = longest(8 * 896 + 1);
  EXPECT_EQ(facts_of<AijSpec>(rows), facts_of<AijLight>(rows));
  EXPECT_NE(fact(ThroughKokkos<AijSpec<double, std::int32_t>>(rows.view(), options_of<AijSpec<double, std::int32_t>>({}), {}), "tiles"),
            "0");
}

} // namespace
} // namespace petscspmv::test
