// Sweeps and incomplete factors on the host: with one thread by Kokkos' Serial, with several by its OpenMP.

#include "factors_contract.hpp"

namespace petscspmv::test {
namespace {

struct OnHost {
  Execution execution;

  static std::vector<OnHost> all() { return {{{MemorySpace::host, 1}}, {{MemorySpace::host, 2}}, {{MemorySpace::host, 4}}}; }
  static std::string         missing() { return ""; }

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

template <class S, class I> struct Swept {
  using Scalar = S;
  using Index  = I;
  using Place  = OnHost;
};

using All = ::testing::Types<Swept<double, std::int32_t>, Swept<double, std::int64_t>, Swept<std::complex<double>, std::int32_t>,
                             Swept<std::complex<double>, std::int64_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Host, SweepsTest, All);
INSTANTIATE_TYPED_TEST_SUITE_P(Host, FactorsTest, All);

} // namespace
} // namespace petscspmv::test
