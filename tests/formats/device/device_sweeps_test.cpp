// Sweeps and incomplete factors on the device.

#include <gtest/gtest.h>

#include "core/runtime.hpp"
#include "formats/sweeps/analysis_contract.hpp"
#include "formats/sweeps/factors_contract.hpp"
#include "support/on_device.hpp"

namespace petscspmv::test {
namespace {

struct OnTheDevice {
  Execution execution;

  static std::vector<OnTheDevice> all() { return {{{MemorySpace::device, 4}}}; }
  static std::string              missing() { return runtime::device_problem(); }

  template <class Scalar, class Index>
  std::vector<Scalar> relax(Sweeps<Scalar, Index> &sweeps, const Relaxation &what, const std::vector<Scalar> &b,
                            const std::vector<Scalar> &x) const
  {
    const DeviceVector<Scalar> there(b), result(x);
    sweeps.relax(what, there.data(), result.data());
    check(cudaDeviceSynchronize());
    return result.get();
  }

  template <class Scalar, class Index>
  std::vector<Scalar> solve(IncompleteFactors<Scalar, Index> &factors, Solving what, const std::vector<Scalar> &b) const
  {
    const DeviceVector<Scalar> there(b), result(b);
    factors.solve(what, there.data(), result.data());
    check(cudaDeviceSynchronize());
    return result.get();
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Device, SweepsTest, AllKindsAt<OnTheDevice>);
INSTANTIATE_TYPED_TEST_SUITE_P(Device, FactorsTest, AllKindsAt<OnTheDevice>);
INSTANTIATE_TYPED_TEST_SUITE_P(Device, AnalysisTest, AllKindsAt<OnTheDevice>);

} // namespace
} // namespace petscspmv::test
