// Aggregation on the host: with one thread by Kokkos' Serial, with several by its OpenMP.

#include "aggregation_contract.hpp"

namespace petscspmv::test {
namespace {

struct OnHost {
  Execution execution;

  static std::vector<OnHost> all() { return {{{MemorySpace::host, 1}}, {{MemorySpace::host, 2}}, {{MemorySpace::host, 4}}}; }
  static std::string         missing() { return ""; }

  template <class Scalar, class Index> struct Held {
    const CsrMatrix<Scalar, Index> &a;
    CsrView<Scalar, Index>          view() const { return a.view(); }
  };
  template <class Scalar, class Index> Held<Scalar, Index> hold(const CsrMatrix<Scalar, Index> &a) const { return {a}; }

  template <class Scalar, class Index> std::vector<Scalar> values(const Aggregation<Scalar, Index> &made, double omega, std::size_t n) const
  {
    std::vector<Scalar> values(n);
    made.values(omega, values.data());
    return values;
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Host, AggregationTest, ThreeKindsAt<OnHost>);

} // namespace
} // namespace petscspmv::test
