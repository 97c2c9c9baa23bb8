// Galerkin products on the device.

#include "core/runtime.hpp"
#include "formats/products/galerkin_contract.hpp"
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

  template <class Scalar, class Index>
  std::vector<Scalar> values(GalerkinProduct<Scalar, Index> &made, const CsrView<Scalar, Index> &a, const CsrView<Scalar, Index> &p,
                             std::size_t n) const
  {
    const DeviceVector<Scalar> values(n);
    made.values(a, p, values.data());
    return values.get();
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Device, GalerkinTest, MultipliedEverywhere<OnTheDevice>);

} // namespace
} // namespace petscspmv::test
