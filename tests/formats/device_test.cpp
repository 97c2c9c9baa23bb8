// The contract on the device, and what is known of the device alone.

#include "format_contract.hpp"
#include "support/on_device.hpp"

namespace petscspmv::test {

using DeviceFormats = AllOnDevice<Formats>::types;

INSTANTIATE_TYPED_TEST_SUITE_P(Device, FormatTest, DeviceFormats, FormatName);

namespace {

using Real    = AijSpec<double, std::int32_t>;
using P       = Patterns<double, std::int32_t>;
using Matrix  = CsrMatrix<double, std::int32_t>;
using Named   = NamedMatrix<double, std::int32_t>;
using Problem = test::Problem<double, std::int32_t>;

/// Mostly a stencil, and here and there a long row, so that there are blocks of rows and tiles.
Matrix stencil_with_long_rows()
{
  const Matrix a = P::stencil(24);
  Matrix       b;
  b.cols = a.cols;
  for (std::int32_t r = 0; r < a.rows; ++r)
    if (r % 5003 == 77) b.add_row(P::range(0, r == 77 ? 4000 : 700));
    else b.add_row({a.col.begin() + a.row_ptr[r], a.col.begin() + a.row_ptr[r + 1]});
  return b;
}

/// Long runs of empty rows at the beginning, in the middle and at the end, of which tiles have more than they can sum.
Matrix islands()
{
  return P::random(300000, 500, 51, [](std::int32_t r, auto &) {
    if (r / 1000 == 150) return r % 3;
    return r == 70000 ? 400 : r % 40009 == 5 ? 1 : 0;
  });
}

std::vector<Named> device_matrices()
{
  return {{"stencil with long rows", stencil_with_long_rows},
          {"islands", islands},
          {"7-point stencil", [] { return P::stencil(20); }},
          {"power law", [] {
             return P::random(6000, 6000, 52, [](std::int32_t, Random<double> &random) {
               return static_cast<std::int32_t>(2.0 / (0.002 + std::abs(random.number())));
             });
           }}};
}

std::vector<OptionValues> tilings()
{
  std::vector<OptionValues> all;
  for (int tiling : {0, 1, 2}) all.emplace_back(Real::options()).set("tiling", tiling);
  return all;
}

class DeviceTest : public ::testing::Test {
protected:
  void SetUp() override
  {
    if (!runtime::has_device()) GTEST_SKIP() << runtime::device_problem();
  }

  /// check(problem, format) for each matrix and each tiling.
  template <class Check> static void for_all(Mode mode, Check check)
  {
    for (const Named &named : device_matrices()) {
      Problem problem(named, mode);
      for (const OptionValues &options : tilings()) {
        SCOPED_TRACE(named.name + ", tiling " + options.text(options.table().back()));
        OnDevice<Real> format(problem.a.view(), options, {});
        check(problem, format);
      }
    }
  }
};

std::string fact(const Facts &facts, std::string_view name)
{
  for (const auto &[key, value] : facts)
    if (key == name) return value;
  return "";
}

TEST_F(DeviceTest, EqualsTheHostBitForBitWhereNothingIsRounded)
{
  for_all(Mode::exact, [](Problem &problem, OnDevice<Real> &format) {
    Real host(problem.a.view(), OptionValues(Real::options()), Execution{});
    for (const auto &c : problem.cases)
      for (double alpha : {1.0, 0.5}) // a negative one would ask for the sign of zero
        for (double beta : {0.0, 1.0, 2.0})
          EXPECT_TRUE(same_bits(Problem::multiply(host, c, alpha, beta), Problem::multiply(format, c, alpha, beta))) << name(c.op);
  });
}

TEST_F(DeviceTest, IsWithinTheErrorBound)
{
  for_all(Mode::rounded, [](Problem &problem, OnDevice<Real> &format) {
    for (const auto &c : problem.cases)
      for (double beta : {0.0, 0.5}) EXPECT_EQ(problem.wrong(format, c, 0.5, beta), "");
  });
}

TEST_F(DeviceTest, GivesTheSameBitsAThousandTimes)
{
  for_all(Mode::rounded, [](Problem &problem, OnDevice<Real> &format) {
    for (const auto &c : problem.cases) {
      if (c.op == Operation::hermitian) continue;
      const auto           expected = Problem::multiply(format, c, 1.0, 0.0);
      DeviceVector<double> x(c.x), y(expected.size());
      for (int repeat = 0; repeat < 1000; ++repeat) {
        check(cudaMemset(y.data(), 0xff, expected.size() * sizeof(double)));
        format.format().multiply(c.op, 1.0, x.data(), 0.0, y.data());
        ASSERT_TRUE(same_bits(expected, y.get())) << name(c.op) << ", repetition " << repeat;
      }
    }
  });
}

// Nothing in a product may allocate, wait or decide on the host: all of that ends the recording.
TEST_F(DeviceTest, ProductsCanBeRecordedInAGraph)
{
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for_all(Mode::rounded, [stream](Problem &problem, OnDevice<Real> &format) {
    for (auto &c : problem.cases) {
      const auto           before = Problem::multiply(format, c, 1.0, 0.0); // builds the transpose
      DeviceVector<double> x(c.x), y(before.size());
      runtime::use_stream(stream);
      cudaGraph_t     graph;
      cudaGraphExec_t executable;
      check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
      format.format().multiply(c.op, 1.0, x.data(), 0.0, y.data());
      check(cudaStreamEndCapture(stream, &graph));
      check(cudaGraphInstantiate(&executable, graph, 0));
      for (double &e : c.x) e = -2 * e;
      x.set(c.x);
      for (int repeat = 0; repeat < 3; ++repeat) check(cudaGraphLaunch(executable, stream));
      check(cudaStreamSynchronize(stream));
      auto expected = before;
      for (double &e : expected) e = -2 * e + 0.0;
      EXPECT_TRUE(same_bits(expected, y.get())) << name(c.op);
      check(cudaGraphExecDestroy(executable));
      check(cudaGraphDestroy(graph));
      runtime::use_stream(nullptr);
    }
  });
  check(cudaStreamDestroy(stream));
}

TEST_F(DeviceTest, ChoosesByTheRowPointer)
{
  const auto built = [](const char *name) {
    for (const Named &named : device_matrices())
      if (named.name == name) {
        const Problem problem(named, Mode::exact);
        return Real(problem.a.view(), OptionValues(Real::options()), {MemorySpace::device, 1}).facts();
      }
    return Facts{};
  };
  EXPECT_EQ(fact(built("7-point stencil"), "tiles"), "0");
  EXPECT_EQ(fact(built("power law"), "row blocks"), "0");
  const Facts mixed = built("stencil with long rows");
  EXPECT_NE(fact(mixed, "row blocks"), "0");
  EXPECT_NE(fact(mixed, "tiles"), "0");

  const Problem problem({"islands", islands}, Mode::exact);
  OptionValues  options(Real::options());
  options.set("tiling", 1);
  EXPECT_NE(fact(Real(problem.a.view(), options, {MemorySpace::device, 1}).facts(), "pieces of dirty tiles"), "0");
}

// From page-locked memory, copies to the device go on after the call.
TEST_F(DeviceTest, RefreshHasReadPageLockedMemoryWhenItReturns)
{
  Problem        problem({"7-point stencil", [] { return P::stencil(64); }}, Mode::exact);
  const auto    &c = problem.cases[0];
  OnDevice<Real> format(problem.a.view(), OptionValues(Real::options()), {});
  const auto     expected = Problem::multiply(format, c, 1.0, 0.0);
  double        *locked;
  check(cudaMallocHost(&locked, problem.a.val.size() * sizeof(double)));
  std::copy(problem.a.val.begin(), problem.a.val.end(), locked);
  auto view = problem.a.view();
  view.val  = locked;
  format.refresh(view);
  std::fill_n(locked, problem.a.val.size(), std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(same_bits(expected, Problem::multiply(format, c, 1.0, 0.0)));
  check(cudaFreeHost(locked));
}

TEST_F(DeviceTest, FootprintIsWhatTheDeviceHasGivenAway)
{
  Problem     problem({"7-point stencil", [] { return P::stencil(100); }}, Mode::exact);
  std::size_t before, after, total;
  check(cudaDeviceSynchronize());
  check(cudaMemGetInfo(&before, &total));
  const Real format(problem.a.view(), OptionValues(Real::options()), {MemorySpace::device, 1});
  check(cudaMemGetInfo(&after, &total));
  const double given = static_cast<double>(before - after), told = static_cast<double>(format.footprint().owned());
  EXPECT_EQ(format.footprint().borrowed(), 0u);
  EXPECT_NEAR(given, told, 8 << 20) << "memory is given in pages of 2 MiB";
}

TEST_F(DeviceTest, SaysWhenThereIsNoRoom)
{
  constexpr std::int32_t row = 100, rows = 200000; // 240 MB
  Matrix                 a;
  a.cols = a.rows = rows;
  a.col.resize(std::size_t(rows) * row);
  a.val.resize(a.col.size());
  a.row_ptr.resize(rows + 1);
  for (std::int32_t r = 0; r <= rows; ++r) a.row_ptr[r] = r * row;

  std::size_t free, total;
  check(cudaMemGetInfo(&free, &total));
  void *hog = nullptr;
  for (std::size_t left = 32 << 20; cudaMalloc(&hog, free - left) != cudaSuccess; left += 16 << 20) {
    static_cast<void>(cudaGetLastError());
    ASSERT_LT(left, 200u << 20);
  }
  try {
    Real(a.view(), OptionValues(Real::options()), {MemorySpace::device, 1});
    ADD_FAILURE() << "a matrix larger than the memory that was left was built";
  } catch (const FormatError &e) {
    EXPECT_NE(std::string(e.what()).find("no room"), std::string::npos) << e.what();
  }
  check(cudaFree(hog));
  const Problem  problem({"7-point stencil", [] { return P::stencil(20); }}, Mode::exact);
  OnDevice<Real> format(problem.a.view(), OptionValues(Real::options()), {});
  EXPECT_EQ(problem.wrong(format, problem.cases[0], 1.0, 0.0), "");
}

} // namespace
} // namespace petscspmv::test
