// Products of sparse matrices on the device.

#include "core/runtime.hpp"
#include "formats/products/product_contract.hpp"
#include "support/on_device.hpp"

namespace petscspmv::test {
namespace {

template <int team> struct MultipliedThere {
  static std::vector<Execution> all()
  {
    return {{MemorySpace::device, 1, Kernels::automatic, team}, {MemorySpace::device, 4, Kernels::automatic, team}};
  }
  static std::string missing() { return runtime::device_problem(); }

  template <class Scalar, class Index> static HeldOnDevice<Scalar, Index> hold(const CsrMatrix<Scalar, Index> &a)
  {
    return HeldOnDevice<Scalar, Index>{a};
  }

  template <class Scalar, class Write> static bool write(std::vector<Scalar> &values, const Write &write)
  {
    const DeviceVector<Scalar> there(values);
    const bool                 written = write(there.data());
    values                             = there.get();
    return written;
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Threads, ProductTest, ThreeKindsAt<MultipliedThere<1>>);
INSTANTIATE_TYPED_TEST_SUITE_P(Teams, ProductTest, ThreeKindsAt<MultipliedThere<2>>);

} // namespace
} // namespace petscspmv::test
