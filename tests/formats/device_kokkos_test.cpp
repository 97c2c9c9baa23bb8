// The contract for the kernels through Kokkos, on the device, and what DeviceTest asks of the others.

#include <memory>
#include <vector>

#include "device_problems.hpp"
#include "format_contract.hpp"
#include "through_kokkos.hpp"

namespace petscspmv::test {

using DeviceKokkosFormats = AllOnDevice<Portable<Formats>::types>::types;

INSTANTIATE_TYPED_TEST_SUITE_P(DeviceKokkos, FormatTest, DeviceKokkosFormats, FormatName);

namespace {

template <class F> class DeviceKokkosTest : public OnDeviceOnly {
};

using RealPortable = Portable<Joined<AllFormats<double, std::int32_t>>::types>::types;
TYPED_TEST_SUITE(DeviceKokkosTest, RealPortable, FormatName);

TYPED_TEST(DeviceKokkosTest, GivesTheSameBitsManyTimes)
{
  using Problem = typename TestFixture::Problem;
  for (const auto &named : TestFixture::all()) {
    SCOPED_TRACE(named.name);
    Problem             problem(named, Mode::rounded);
    OnDevice<TypeParam> format(problem.a.view(), OptionValues(TypeParam::options()), {});
    for (const auto &c : problem.cases) {
      if (c.op == Operation::hermitian) continue;
      const auto           expected = Problem::multiply(format, c, 1.0, 0.0);
      DeviceVector<double> x(c.x), y(expected.size());
      for (int repeat = 0; repeat < 100; ++repeat) {
        check(cudaMemset(y.data(), 0xff, expected.size() * sizeof(double)));
        format.format().multiply(c.op, 1.0, x.data(), 0.0, y.data());
        ASSERT_TRUE(same_bits(expected, y.get())) << name(c.op) << ", repetition " << repeat;
      }
    }
  }
}

// Nothing in a product may allocate, wait or decide on the host, but for Kokkos' own memory for a stream, at the first
// product on it.
TYPED_TEST(DeviceKokkosTest, ProductsCanBeRecordedInAGraph)
{
  using Problem = typename TestFixture::Problem;
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (const auto &named : TestFixture::all()) {
    SCOPED_TRACE(named.name);
    Problem problem(named, Mode::rounded);
    runtime::use_stream(stream);
    OnDevice<TypeParam> format(problem.a.view(), OptionValues(TypeParam::options()), {});
    for (auto &c : problem.cases) {
      auto                 expected = Problem::multiply(format, c, 1.0, 0.0); // builds the transpose
      DeviceVector<double> x(c.x), y(expected.size());
      cudaGraph_t          graph;
      cudaGraphExec_t      executable;
      check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
      format.format().multiply(c.op, 1.0, x.data(), 0.0, y.data());
      check(cudaStreamEndCapture(stream, &graph));
      check(cudaGraphInstantiate(&executable, graph, 0));
      for (double &e : c.x) e = -2 * e;
      x.set(c.x);
      for (int repeat = 0; repeat < 3; ++repeat) check(cudaGraphLaunch(executable, stream));
      check(cudaStreamSynchronize(stream));
      for (double &e : expected) e = -2 * e + 0.0;
      EXPECT_TRUE(same_bits(expected, y.get())) << name(c.op);
      check(cudaGraphExecDestroy(executable));
      check(cudaGraphDestroy(graph));
    }
    runtime::use_stream(nullptr);
  }
  // The stream stays: Kokkos keeps what it has for it.
}

} // namespace
} // namespace petscspmv::test
