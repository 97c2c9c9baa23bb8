// The contract on the device, and what is known of the device alone.

#include <memory>
#include <vector>

#include "core/precision.hpp"
#include "device_problems.hpp"
#include "formats/format_contract.hpp"

namespace petscspmv::test {

using DeviceFormats = AllOnDevice<Formats>::types;

INSTANTIATE_TYPED_TEST_SUITE_P(Device, FormatTest, DeviceFormats, FormatName);

namespace {

template <class F> class DeviceTest : public OnDeviceOnly {
protected:
  using Format  = OnDevice<F>;
  using Problem = ProblemOf<F>;

  /// What is made from the table of options alone, and each value of each option that has names for its values.
  static std::vector<OptionValues> variants()
  {
    std::vector<OptionValues> all = option_variants<Format>(8);
    for (const OptionSpec &spec : F::options()) {
      if (spec.choices.empty() || loses_bits(spec) || !spec.counts_in(MemorySpace::device)) continue;
      for (std::int64_t value = spec.min; value <= spec.max; ++value) all.emplace_back(F::options()).set(spec.key, value);
    }
    return all;
  }

  /// check(problem, format) for each matrix and each variant.
  template <class Check> static void for_all(Mode mode, Check check)
  {
    for (const Named &named : all()) {
      Problem problem(named, mode);
      for (const OptionValues &options : variants()) {
        SCOPED_TRACE(named.name + ", " + describe(options));
        Format format(problem.a.view(), options, {});
        check(problem, format);
        if (::testing::Test::HasFatalFailure() || ::testing::Test::HasNonfatalFailure()) return;
      }
    }
  }
};

using RealFormats = AllFormats<double, std::int32_t>;
TYPED_TEST_SUITE(DeviceTest, RealFormats, FormatName);

TYPED_TEST(DeviceTest, EqualsTheHostBitForBitWhereNothingIsRounded)
{
  this->for_all(Mode::exact, [](typename TestFixture::Problem &problem, typename TestFixture::Format &format) {
    TypeParam host(problem.a.view(), OptionValues(TypeParam::options()), Execution{});
    for (const auto &c : problem.cases)
      for (double alpha : {1.0, 0.5}) // a negative one would ask for the sign of zero
        for (double beta : {0.0, 1.0, 2.0})
          EXPECT_TRUE(same_bits(problem.multiply(host, c, alpha, beta), problem.multiply(format, c, alpha, beta))) << name(c.op);
  });
}

TYPED_TEST(DeviceTest, IsWithinTheErrorBound)
{
  this->for_all(Mode::rounded, [](typename TestFixture::Problem &problem, typename TestFixture::Format &format) {
    for (const auto &c : problem.cases)
      for (double beta : {0.0, 0.5}) EXPECT_EQ(problem.wrong(format, c, 0.5, beta), "");
  });
}

TYPED_TEST(DeviceTest, GivesTheSameBitsManyTimes)
{
  int built = 0;
  this->for_all(Mode::rounded, [&built](typename TestFixture::Problem &problem, typename TestFixture::Format &format) {
    const int repetitions = built++ % TestFixture::variants().size() == 0 ? 1000 : 100; // most often with the defaults, which come first
    for (const auto &c : problem.cases) {
      if (c.op == Operation::hermitian) continue;
      const auto           expected = problem.multiply(format, c, 1.0, 0.0);
      DeviceVector<double> x(c.x), y(expected.size());
      for (int repeat = 0; repeat < repetitions; ++repeat) {
        check(cudaMemset(y.data(), 0xff, expected.size() * sizeof(double)));
        format.format().multiply(c.op, 1.0, x.data(), 0.0, y.data());
        ASSERT_TRUE(same_bits(expected, y.get())) << name(c.op) << ", repetition " << repeat;
      }
    }
  });
}

// A format that borrows copies none of them, and no kernel reads behind their ends. New values come in another place.
TYPED_TEST(DeviceTest, TakesArraysThatAreOnTheDevice)
{
  for (const auto &named : this->all()) {
    typename TestFixture::Problem problem(named, Mode::exact);
    if (problem.a.col.empty()) continue;
    const DeviceVector<std::int32_t> row_ptr(problem.a.row_ptr), col(problem.a.col);
    const DeviceVector<double>       val(problem.a.val), doubled(scaled(problem.a, 2).val);
    for (const OptionValues &options : TestFixture::variants()) {
      SCOPED_TRACE(named.name + ", " + describe(options));
      auto view           = problem.a.view();
      view.device_row_ptr = row_ptr.data();
      view.device_col     = col.data();
      view.val            = val.data();
      typename TestFixture::Format     format(view, options, {});
      std::vector<std::vector<double>> before;
      for (const auto &c : problem.cases) {
        EXPECT_EQ(problem.wrong(format, c, 1.0, 0.0), "") << name(c.op);
        before.push_back(problem.multiply(format, c, 1.0, 0.0));
      }
      for (const Footprint::Array &array : format.format().footprint().arrays)
        if (array.name == "values" || array.name == "columns") { EXPECT_EQ(TypeParam::borrows, array.borrowed) << array.name; }
      view.val = doubled.data();
      format.refresh(view);
      for (std::size_t k = 0; k < problem.cases.size(); ++k)
        EXPECT_TRUE(same_bits(before[k], problem.multiply(format, problem.cases[k], 0.5, 0.0))) << name(problem.cases[k].op);
    }
  }
}

// Kernels have properties that all matrices share, such as how much shared memory they may be launched with.
TYPED_TEST(DeviceTest, OtherMatricesChangeNothing)
{
  using Problem = typename TestFixture::Problem;
  using Format  = typename TestFixture::Format;
  std::vector<Problem> problems;
  for (const auto &named : TestFixture::all()) problems.emplace_back(named, Mode::exact);
  for (const OptionValues &options : TestFixture::variants()) {
    std::vector<std::unique_ptr<Format>> formats;
    for (const Problem &problem : problems) formats.push_back(std::make_unique<Format>(problem.a.view(), options, Execution{}));
    for (int repeat = 0; repeat < 2; ++repeat) // transposes are built in the first
      for (std::size_t i = 0; i < problems.size(); ++i)
        for (const auto &c : problems[i].cases) ASSERT_EQ(problems[i].wrong(*formats[i], c, 1.0, 0.0), "") << describe(options);
  }
}

// Nothing in a product may allocate, wait or decide on the host: all of that ends the recording. The first one on a
// stream may, for Kokkos keeps memory for each.
TYPED_TEST(DeviceTest, ProductsCanBeRecordedInAGraph)
{
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  this->for_all(Mode::rounded, [stream](typename TestFixture::Problem &problem, typename TestFixture::Format &format) {
    for (auto &c : problem.cases) {
      runtime::use_stream(stream);
      const auto           before = problem.multiply(format, c, 1.0, 0.0); // builds the transpose
      DeviceVector<double> x(c.x), y(before.size());
      const Recording      product(stream, [&] { format.format().multiply(c.op, 1.0, x.data(), 0.0, y.data()); });
      for (double &e : c.x) e = -2 * e;
      x.set(c.x);
      product.replay(3);
      auto expected = before;
      for (double &e : expected) e = -2 * e + 0.0;
      EXPECT_TRUE(same_bits(expected, y.get())) << name(c.op);
      runtime::use_stream(nullptr);
    }
  });
  // The stream stays: Kokkos keeps what it has for it.
}

// From page-locked memory, copies to the device go on after the call.
TYPED_TEST(DeviceTest, RefreshHasReadPageLockedMemoryWhenItReturns)
{
  typename TestFixture::Problem problem(TestFixture::P::stencil(64), Mode::exact);
  const auto                   &c = problem.cases[0];
  typename TestFixture::Format  format(problem.a.view(), OptionValues(TypeParam::options()), {});
  const auto                    expected = problem.multiply(format, c, 1.0, 0.0);
  double                       *locked;
  check(cudaMallocHost(&locked, problem.a.val.size() * sizeof(double)));
  std::copy(problem.a.val.begin(), problem.a.val.end(), locked);
  auto view = problem.a.view();
  view.val  = locked;
  format.refresh(view);
  std::fill_n(locked, problem.a.val.size(), std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(same_bits(expected, problem.multiply(format, c, 1.0, 0.0)));
  check(cudaFreeHost(locked));
}

TYPED_TEST(DeviceTest, FootprintIsWhatTheDeviceHasGivenAway)
{
  typename TestFixture::Problem problem(TestFixture::P::stencil(100), Mode::exact);
  std::size_t                   before, after, total;
  const auto build = [&problem] { return TypeParam(problem.a.view(), OptionValues(TypeParam::options()), {MemorySpace::device, 1}); };
  build(); // what Kokkos takes with the first one is no matrix's
  check(cudaDeviceSynchronize());
  check(cudaMemGetInfo(&before, &total));
  const TypeParam format = build();
  check(cudaMemGetInfo(&after, &total));
  const double given = static_cast<double>(before - after), told = static_cast<double>(format.footprint().owned());
  EXPECT_EQ(format.footprint().borrowed(), 0U);
  EXPECT_NEAR(given, told, 8 << 20) << "memory is given in pages of 2 MiB";
}

TYPED_TEST(DeviceTest, SaysWhenThereIsNoRoom)
{
  constexpr std::int32_t       row = 100, rows = 200000; // 240 MB
  typename TestFixture::Matrix a;
  a.cols = a.rows = rows;
  a.col.resize(std::size_t(rows) * row);
  a.val.resize(a.col.size());
  a.row_ptr.resize(rows + 1);
  for (std::int32_t r = 0; r <= rows; ++r) a.row_ptr[r] = r * row;
  for (std::size_t i = 0; i < a.col.size(); ++i) { // nothing that could be kept in less
    a.col[i] = static_cast<std::int32_t>(i * 7919 % rows);
    a.val[i] = 1.0 / static_cast<double>(i + 1);
  }

  std::size_t free, total;
  check(cudaMemGetInfo(&free, &total));
  void *hog = nullptr;
  for (std::size_t left = 32 << 20; cudaMalloc(&hog, free - left) != cudaSuccess; left += 16 << 20) {
    static_cast<void>(cudaGetLastError());
    ASSERT_LT(left, 200U << 20);
  }
  try {
    TypeParam(a.view(), OptionValues(TypeParam::options()), {MemorySpace::device, 1});
    ADD_FAILURE() << "a matrix larger than the memory that was left was built";
  } catch (const FormatError &e) {
    EXPECT_NE(std::string(e.what()).find("no room"), std::string::npos) << e.what();
  }
  check(cudaFree(hog));
  const typename TestFixture::Problem problem(TestFixture::P::stencil(20), Mode::exact);
  typename TestFixture::Format        format(problem.a.view(), OptionValues(TypeParam::options()), {});
  EXPECT_EQ(problem.wrong(format, problem.cases[0], 1.0, 0.0), "");
}

} // namespace
} // namespace petscspmv::test
