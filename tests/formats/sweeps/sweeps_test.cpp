// Sweeps and incomplete factors on the host: with one thread by Kokkos' Serial, with several by its OpenMP; and as on a
// device.

#include "analysis_contract.hpp"
#include "factors_contract.hpp"

namespace petscspmv::test {
namespace {

struct OnHost {
  Execution execution;

  static std::vector<OnHost> all()
  {
    return {{{MemorySpace::host, 1}}, {{MemorySpace::host, 2}}, {{MemorySpace::host, 4, Kernels::kokkos}}};
  }
  static std::string missing() { return ""; }

  template <class Scalar, class Index>
  std::vector<Scalar> relax(Sweeps<Scalar, Index> &sweeps, const Relaxation &what, const std::vector<Scalar> &b,
                            std::vector<Scalar> x) const
  {
    sweeps.relax(what, b.data(), x.data());
    return x;
  }

  template <class Scalar, class Index>
  std::vector<Scalar> solve(IncompleteFactors<Scalar, Index> &factors, Solving what, const std::vector<Scalar> &b) const
  {
    std::vector<Scalar> x(b.size());
    factors.solve(what, b.data(), x.data());
    return x;
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Host, SweepsTest, AllKindsAt<OnHost>);
INSTANTIATE_TYPED_TEST_SUITE_P(Host, FactorsTest, AllKindsAt<OnHost>);
INSTANTIATE_TYPED_TEST_SUITE_P(Host, AnalysisTest, AllKindsAt<OnHost>);

} // namespace
} // namespace petscspmv::test
