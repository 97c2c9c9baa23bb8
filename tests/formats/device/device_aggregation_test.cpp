// Aggregation on the device.

#include "core/runtime.hpp"
#include "formats/aggregation/aggregation_contract.hpp"
#include "support/on_device.hpp"

namespace petscspmv::test {
namespace {

/// A matrix whose arrays are on a device, and its pattern on the host, too.
template <class Scalar, class Index> struct HeldOnDevice {
  const CsrMatrix<Scalar, Index> &a;
  DeviceVector<Index>             row_ptr{a.row_ptr}, col{a.col};
  DeviceVector<Scalar>            val{a.val};

  CsrView<Scalar, Index> view() const
  {
    CsrView<Scalar, Index> v = a.view();
    v.device_row_ptr         = row_ptr.data();
    v.device_col             = col.data();
    v.val                    = val.data();
    return v;
  }
};

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

INSTANTIATE_TYPED_TEST_SUITE_P(Device, AggregationTest, AggregatedEverywhere<OnTheDevice>);

} // namespace
} // namespace petscspmv::test
