#pragma once

/// \file commands.hpp
/// The sub-commands. Each returns the exit code; InputError is for main() to print.

#include "commands/options.hpp"
#include "measure/clock.hpp"
#include "petsc/mpi_ranks.hpp"

namespace petscspmv::bench {

// These run on all ranks, between PetscInitialize and PetscFinalize.
int run_spmv(MpiRanks &world, Clock &clock, const Invocation &invocation);
int run_spmm(MpiRanks &world, Clock &clock, const Invocation &invocation);
int run_spgemm(MpiRanks &world, Clock &clock, const Invocation &invocation);
int run_convert(MpiRanks &world, Clock &clock, const Invocation &invocation);
int run_solve(MpiRanks &world, Clock &clock, const Invocation &invocation);
int run_auto(MpiRanks &world, Clock &clock, const Invocation &invocation);

// These need neither PETSc nor MPI.
int run_report(const Invocation &invocation);
int run_plot(const Invocation &invocation);
int run_list(const Invocation &invocation);

} // namespace petscspmv::bench
