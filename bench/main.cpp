/// \file main.cpp
/// petscspmv-bench: measures what the types of petscspmv are worth, and for which matrices.

#include <cstdio>
#include <cstdlib>

#include <petscksp.h>

#include "commands/commands.hpp"
#include "measure/device.hpp"
#include "petsc/check.hpp"
#include "petsc/device.hpp"

using namespace petscspmv::bench;

namespace {

/// Of several ranks, the first one speaks; MPI has not begun yet when the command line is read.
bool is_first_rank()
{
  for (const char *variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"})
    if (const char *rank = std::getenv(variable)) return std::atoi(rank) == 0;
  return true;
}

/// Looked up before PETSc begins, for not every PETSc knows the options that it is then given.
void require_device(const std::string &command)
{
  for (const std::string &problem : {device_problem(), petsc_device_problem()})
    if (!problem.empty()) throw InputError((command == "spmm" ? command : "--device") + " needs a device: " + problem);
}

void report_unused_options()
{
  PetscInt n = 0;
  char   **names, **values;
  check_petsc(PetscOptionsLeftGet(nullptr, &n, &names, &values));
  for (PetscInt k = 0; k < n; ++k) std::fprintf(stderr, "Note: nobody asked for the option -%s; is it spelt right?\n", names[k]);
  check_petsc(PetscOptionsLeftRestore(nullptr, &n, &names, &values));
}

int measure(const Invocation &invocation)
{
  MpiRanks    world(PETSC_COMM_WORLD);
  SteadyClock clock;
  collect_petsc_errors();
  const auto command = invocation.command == "spmv"      ? run_spmv
                       : invocation.command == "spmm"    ? run_spmm
                       : invocation.command == "spgemm"  ? run_spgemm
                       : invocation.command == "convert" ? run_convert
                       : invocation.command == "auto"    ? run_auto
                                                         : run_solve;
  int        code    = command(world, clock, invocation);
  if (world.rank() == 0) report_unused_options();
  return code;
}

int with_petsc(const char *program, const Invocation &invocation)
{
  std::vector<std::string> words     = {program, "-no_signal_handler"};
  const bool               on_device = invocation.run.wishes.place == Place::device;
  if (on_device) words.insert(words.end(), {"-use_gpu_aware_mpi", "0"}); // a single process sends no messages from there
  // All products go to one stream of the device, and it is one that can be recorded. Solvers run as they do for a user:
  // with this stream, PETSc 3.26's cg alone (ksp/tutorials/ex46 with aijcusparse, without a plugin) diverges or breaks
  // down.
  if (on_device && invocation.command.starts_with("spm")) words.insert(words.end(), {"-root_device_context_stream_type", "nonblocking"});
  words.insert(words.end(), invocation.petsc_options.begin(), invocation.petsc_options.end());
  std::vector<char *> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string &w : words) pointers.push_back(w.data());
  pointers.push_back(nullptr);
  int    count = int(words.size());
  char **argv  = pointers.data();
  if (PetscInitialize(&count, &argv, nullptr, "petscspmv-bench: see petscspmv-bench --help\n") != 0) return kUsage;
  int code = kUsage;
  try {
    code = measure(invocation);
  } catch (const std::exception &e) {
    if (is_first_rank()) std::fprintf(stderr, "Error: %s\n", e.what());
    int others = 0;
    MPI_Comm_size(PETSC_COMM_WORLD, &others);
    // InputError is thrown on all ranks alike; anything else perhaps on one.
    if (others > 1 && !dynamic_cast<const InputError *>(&e)) MPI_Abort(PETSC_COMM_WORLD, kBad);
  }
  return PetscFinalize() == 0 ? code : kBad;
}

int run(const char *program, const Invocation &invocation)
{
  try {
    if (invocation.command == "report") return run_report(invocation);
    if (invocation.command == "plot") return run_plot(invocation);
    if (invocation.command == "list") return run_list(invocation);
    if (invocation.run.wishes.place == Place::device) require_device(invocation.command);
  } catch (const InputError &e) {
    if (is_first_rank()) std::fprintf(stderr, "Error: %s\n", e.what());
    return kUsage;
  }
  return with_petsc(program, invocation);
}

} // namespace

int main(int argc, char **argv)
{
  Invocation invocation;
  int        exit_code = kGood;
  if (!parse_command_line(argc, argv, is_first_rank(), invocation, exit_code)) return exit_code;
  return run(argv[0], invocation);
}
