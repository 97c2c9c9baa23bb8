// Bccoo's tiles for a team of threads, as a device has them, on the host with one thread a team.

#include "bccoo_teams_contract.hpp"
#include "formats/through_kokkos.hpp"

namespace petscspmv::test {

INSTANTIATE_TYPED_TEST_SUITE_P(Host, BccooTeams, Portable<BccooTypes>::in_teams, FormatName);

} // namespace petscspmv::test
