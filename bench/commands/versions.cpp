#include "commands/versions.hpp"

#include <algorithm>

#include <petscsys.h>

#include "bench_commit.hpp"

namespace petscspmv::bench {

namespace {

std::string petsc_version()
{
  PetscInt major = 0, minor = 0, subminor = 0;
  (void)PetscGetVersionNumber(&major, &minor, &subminor, nullptr);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(subminor);
}

std::string mpi_version()
{
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int  length = 0;
  MPI_Get_library_version(text, &length);
  std::string line(text, std::size_t(length));
  return line.substr(0, line.find_first_of(",\n"));
}

} // namespace

Versions collect_versions(const std::vector<Competitor> &competitors)
{
  Versions v{PETSCSPMV_BENCH_VERSION, PETSCSPMV_BENCH_COMMIT, petsc_version(), PETSCSPMV_BENCH_COMPILER, mpi_version(), {}};
  for (const Competitor &c : competitors) {
    const std::string version = c.peer->version();
    const std::pair   entry(std::string(c.peer->library()), version);
    if (!version.empty() && std::find(v.others.begin(), v.others.end(), entry) == v.others.end()) v.others.push_back(entry);
  }
  return v;
}

} // namespace petscspmv::bench
