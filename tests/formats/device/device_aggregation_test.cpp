// Aggregation on the device.

#include "core/runtime.hpp"
#include "formats/aggregation/aggregation_contract.hpp"
#include "support/on_device.hpp"

namespace petscspmv::test {
namespace {

struct OnTheDevice {
  Execution execution;

  static std::vector<OnTheDevice> all() { return {{{MemorySpace::device, 4}}}; }
  static std::string              missing() { return runtime::device_problem(); }

  template <class Scalar, class Index> HeldOnDevice<Scalar, Index> hold(const CsrMatrix<Scalar, Index> &a) const
  {
    return HeldOnDevice<Scalar, Index>{a};
  }

  template <class Scalar, class Index> std::vector<Scalar> values(const Aggregation<Scalar, Index> &made, double omega, std::size_t n) const
  {
    const DeviceVector<Scalar> there(n);
    made.values(omega, there.data());
    return there.get();
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Device, AggregationTest, ThreeKindsAt<OnTheDevice>);

} // namespace
} // namespace petscspmv::test
