// Products of sparse matrices on the host, with one thread by Kokkos' Serial, with several by its OpenMP: by the host's
// kernels, and by those of a device.

#include "formats/products/product_contract.hpp"

namespace petscspmv::test {
namespace {

template <class Scalar, class Index> struct Copied {
  CsrMatrix<Scalar, Index> a;

  CsrView<Scalar, Index> view() const { return a.view(); }
};

template <Kernels kernels, int team = 0> struct OnTheHost {
  static std::vector<Execution> all()
  {
    return {{MemorySpace::host, 1, kernels, team}, {MemorySpace::host, 2, kernels, team}, {MemorySpace::host, 4, kernels, team}};
  }
  static std::string missing() { return {}; }

  template <class Scalar, class Index> static Copied<Scalar, Index> hold(const CsrMatrix<Scalar, Index> &a) { return {a}; }

  template <class Scalar, class Write> static bool write(std::vector<Scalar> &values, const Write &write) { return write(values.data()); }
};

using ByThreads = OnTheHost<Kernels::kokkos, 1>;
using ByTeams   = OnTheHost<Kernels::kokkos, 2>;

INSTANTIATE_TYPED_TEST_SUITE_P(Host, ProductTest, ThreeKindsAt<OnTheHost<Kernels::automatic>>);
INSTANTIATE_TYPED_TEST_SUITE_P(Threads, ProductTest, ThreeKindsAt<ByThreads>);
INSTANTIATE_TYPED_TEST_SUITE_P(Teams, ProductTest, ThreeKindsAt<ByTeams>);

// A table of a device's multiprocessor holds 3,072 columns.
TEST(ProductByTeams, RowsOfTooManyColumnsAreRefused)
{
  using P      = Patterns<double, std::int32_t>;
  const auto a = P::by_rows(4, 4, [](auto) { return P::range(0, 4); }),
             b = P::by_rows(4, 4000, [](auto r) { return P::range(1000 * r, 1000 * r + 900); });
  EXPECT_NO_THROW(make_product(ProductKind::ab, a.view(), b.view(), {}, {}));
  try {
    make_product(ProductKind::ab, a.view(), b.view(), {}, {MemorySpace::host, 1, Kernels::kokkos});
    ADD_FAILURE() << "there is no table for 3,600 columns";
  } catch (const FormatError &e) {
    EXPECT_NE(std::string(e.what()).find("more than 3072 columns"), std::string::npos) << e.what();
  }
}

} // namespace
} // namespace petscspmv::test
