// Bccoo's tiles for a team of threads, as a device has them, on the host with one thread a team.

#include "bccoo_teams_contract.hpp"
#include "formats/through_kokkos.hpp"

namespace petscspmv::test {
namespace {

template <class F> class InTeams : public ThroughKokkos<F> {
public:
  using typename ThroughKokkos<F>::View;

  InTeams(const View &a, const OptionValues &options, const Execution &execution) : ThroughKokkos<F>(a, options, execution, 1, 1) { }
};

template <class List> struct AllInTeams;
template <class... F> struct AllInTeams<::testing::Types<F...>> {
  using types = ::testing::Types<InTeams<F>...>;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Host, BccooTeams, AllInTeams<BccooTypes>::types, FormatName);

} // namespace
} // namespace petscspmv::test
