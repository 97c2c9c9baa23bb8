// A pattern is known again, and whatever changes under a format, nothing is written outside of its arrays.

#include <chrono>
#include <limits>
#include <numeric>

#include "core/known_pattern.hpp"
#include "format_fixture.hpp"
#include "impls/sweeps/blocks.hpp"
#include "impls/sweeps/incomplete.hpp"
#include "impls/sweeps/sweeps.hpp"
#include "kernels/rows/pattern_blocks.hpp"
#include "settings.hpp"
#include "support/pattern_changes.hpp"
#include "sweeps/swept_matrices.hpp"

namespace petscspmv::test {
namespace {

/// Lengths around those of a block, and of what a thread takes.
constexpr std::int64_t lengths[] = {0, 1, 3, 255, 256, 257, 511, 16383, 16384, 16385, 60000};

template <class Index> std::vector<Index> numbers(std::int64_t n)
{
  std::vector<Index> all(static_cast<std::size_t>(n));
  Random<double>     random(5);
  for (Index &i : all) i = static_cast<Index>(random.integer(0, std::numeric_limits<std::int32_t>::max()));
  return all;
}

template <class Index> class PatternSumTest : public ::testing::Test {
};
using Indices = ::testing::Types<std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(PatternSumTest, Indices);

TYPED_TEST(PatternSumTest, IsTheSameByEveryInstructionSetAndThroughKokkos)
{
  ASSERT_TRUE(runtime::start_kokkos());
  for (const std::int64_t n : lengths) {
    const auto all      = numbers<TypeParam>(n);
    const auto portable = kernels::sum_blocks<kernels::Isa::portable>(all.data(), n, 0);
    const auto by       = [&]<kernels::Isa isa>() { return kernels::sum_blocks<isa>(all.data(), n, 0); };
    for (const auto isa : {kernels::Isa::avx2, kernels::Isa::avx512})
      if (kernels::available(isa)) { EXPECT_EQ(kernels::for_isa<double>(isa, by), portable) << n; }
    if constexpr (!built_for_device) { EXPECT_EQ(kernels::sum_through_kokkos(all.data(), n), portable) << n; }
  }
}

TYPED_TEST(PatternSumTest, IsTheSameForAnyNumberOfThreads)
{
  for (const std::int64_t n : lengths) {
    const std::vector<TypeParam>     row_ptr{0, static_cast<TypeParam>(n)}, col = numbers<TypeParam>(n);
    const CsrView<double, TypeParam> a{1, std::numeric_limits<std::int32_t>::max(), row_ptr.data(), col.data()};
    const PatternSum                 one = pattern_sum(a, PatternUse::all, 1);
    for (const int threads : {2, 3, 8}) EXPECT_EQ(pattern_sum(a, PatternUse::all, threads), one) << n;
  }
}

TYPED_TEST(PatternSumTest, IsAnotherForEachNumberThatChanges)
{
  constexpr std::int64_t n      = 1000;
  auto                   all    = numbers<TypeParam>(n);
  const auto             sum    = [&all] { return kernels::sum_blocks<kernels::Isa::portable>(all.data(), n, 0); };
  const auto             before = sum();
  for (std::size_t i = 0; i < n; ++i) {
    for (const TypeParam by : {TypeParam(1), TypeParam(256), TypeParam(1 << 20)}) {
      all[i] ^= by;
      EXPECT_NE(sum(), before) << i;
      all[i] ^= by;
    }
    std::swap(all[i], all[n / 2]);
    if (all[i] != all[n / 2]) { EXPECT_NE(sum(), before) << i; }
    std::swap(all[i], all[n / 2]);
  }
  EXPECT_EQ(sum(), before);
}

template <class F> class PatternFuzzTest : public SettingsFixture<F> {
};
TYPED_TEST_SUITE(PatternFuzzTest, Formats, FormatName);

// The address sanitizer sees what is read or written outside of arrays.
TYPED_TEST(PatternFuzzTest, ChangedColumnsAreToldOrTaken)
{
  using P                   = typename TestFixture::P;
  using Problem             = typename TestFixture::Problem;
  const auto     end        = std::chrono::steady_clock::now() + std::chrono::milliseconds(1000 * setting("FUZZ_SECONDS", 8) / 16);
  auto           seed       = static_cast<unsigned>(setting("FUZZ_SEED", 1));
  constexpr auto least_rows = 1, most_rows = 700;
  do {
    Random<double> random(seed);
    const auto     rows = static_cast<typename TestFixture::Index>(random.integer(least_rows, most_rows)),
               cols     = static_cast<typename TestFixture::Index>(random.integer(least_rows, most_rows));
    const auto    most  = random.integer(0, 1) ? 6 : 60;
    const Problem before(P::random(rows, cols, seed, [most](auto, auto &r) { return r.integer(0, 60) ? r.integer(0, most) : 300; }),
                         Mode::exact);
    for (auto &[name, changed] : pattern_changes(before.a, seed)) {
      const Problem after(std::move(changed), Mode::exact, 2);
      TypeParam     format(before.a.view(), OptionValues(TypeParam::options()), {MemorySpace::host, 1 + static_cast<int>(seed % 3)});
      const bool    taken = format.refresh(after.a.view());
      ASSERT_TRUE(!taken || TypeParam::borrows) << name << ", seed " << seed;
      for (const auto &c : taken ? after.cases : before.cases)
        ASSERT_EQ((taken ? after : before).wrong(format, c, 1.0, 0.0), "") << name << ", seed " << seed;
    }
    ++seed;
  } while (std::chrono::steady_clock::now() < end);
}

// Sweeps tell of it; factors drop what their pattern lacks, as if the matrix had zeros there.
TEST(SweptPatternTest, AnotherOneIsToldBySweepsAndFactored)
{
  using Matrix = CsrMatrix<double, std::int32_t>;
  using P      = Patterns<double, std::int32_t>;
  Matrix a     = P::box(9, 3, 1);
  set_values(a, 3, false);
  for (auto [r, c, v] : a.entries())
    if (r == c) v = 20;
  Matrix b = P::random(a.rows, a.cols, 4, [](auto, auto &) { return 6; }); // other columns, among which some are in a, too
  set_values(b, 4, false);
  for (std::int32_t r = 0; r < b.rows; ++r) {
    auto *const from = b.col.data() + b.row_ptr[r], *const to = b.col.data() + b.row_ptr[r + 1];
    if (std::find(from, to, r) == to) *from = r;
    std::sort(from, to);
    for (auto *c = from; c != to; ++c)
      if (*c == r) b.val[static_cast<std::size_t>(c - b.col.data())] = 20;
  }
  Matrix part = a; // b in the pattern of a
  for (auto [r, c, v] : part.entries()) {
    v = 0;
    for (std::int32_t i = b.row_ptr[r]; i < b.row_ptr[r + 1]; ++i)
      if (b.col[i] == c) v = b.val[i];
  }
  BlockOrder<std::int32_t> backwards;
  backwards.row.resize(a.rows);
  std::iota(backwards.row.rbegin(), backwards.row.rend(), 0);
  for (const auto *order :
       {static_cast<const BlockOrder<std::int32_t> *>(nullptr), static_cast<const BlockOrder<std::int32_t> *>(&backwards)}) {
    const auto sweeps = make_sweeps(a.view(), order, Execution{}).engine;
    EXPECT_FALSE(sweeps->refresh(b.view()));
    EXPECT_TRUE(sweeps->refresh(part.view()));
    for (const bool symmetric : {false, true})
      for (const int levels : {0, 1}) {
        const auto solved = [&](const Matrix &m) {
          const auto          factors = make_incomplete_factors(a.view(), order, symmetric, levels, Execution{}).engine;
          std::vector<double> ones(static_cast<std::size_t>(a.rows), 1), x(ones.size());
          EXPECT_TRUE(factors->factor(m.view(), {}));
          factors->solve(Solving::both, ones.data(), x.data());
          return x;
        };
        if (levels == 0) EXPECT_EQ(solved(b), solved(part)) << symmetric;
        else EXPECT_NE(solved(b), solved(a)) << symmetric; // fill takes values of b, too
        const auto again = make_incomplete_factors(a.view(), order, symmetric, levels, Execution{}).engine;
        EXPECT_THROW(again->factor(Matrix().view(), {}), FormatError);
      }
  }
}

} // namespace
} // namespace petscspmv::test
