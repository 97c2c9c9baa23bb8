// Aggregation on the device.

#include "core/runtime.hpp"
#include "formats/aggregation/aggregation_contract.hpp"
#include "support/held_on_device.hpp"

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
};

INSTANTIATE_TYPED_TEST_SUITE_P(Device, AggregationTest, AggregatedEverywhere<OnTheDevice>);

} // namespace
} // namespace petscspmv::test
