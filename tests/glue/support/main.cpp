/// \file main.cpp
/// GoogleTest under MPI: every rank runs every test, rank 0 reports what passed, each rank what failed.

#include <csignal>
#include <cstdio>
#include <cstring>
#include <unistd.h>

#include "glue/support/petsc_on_device.hpp"
#include "glue/support/types.hpp"
#include "glue/options.hpp"
#include "glue/ordering.hpp"
#include "glue/route.hpp"

namespace {

char running[256];

extern "C" void StopHangingTest(int)
{
  constexpr char what[] = "\nNo end after 600 seconds, perhaps ranks that wait for each other: ";
  (void)!write(STDERR_FILENO, what, sizeof(what) - 1);
  (void)!write(STDERR_FILENO, running, std::strlen(running));
  _exit(1);
}

/// A rank that fails alone leaves the others waiting in MPI; they must not wait for CTest's patience to end.
class Watchdog : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo &test) override
  {
    std::snprintf(running, sizeof(running), "%s.%s\n", test.test_suite_name(), test.name());
    alarm(600);
  }
  void OnTestEnd(const testing::TestInfo &) override { alarm(0); }
};

/// Of the ranks that are not the first, failures only.
class FailurePrinter : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult &result) override
  {
    if (!result.failed()) return;
    std::fprintf(stderr, "[rank %d] %s%s:%d: %s\n", petscspmv::test::Rank(), running, result.file_name() ? result.file_name() : "?",
                 result.line_number(), result.message());
  }
};

} // namespace

int main(int argc, char **argv)
{
  testing::InitGoogleTest(&argc, argv);
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  if ((petscspmv::test::has_log && PetscLogDefaultBegin()) || petscspmv::test::RegisterTypes()) return 1;
  petscspmv::shadow::head_starts = false; // tests count what formats do from the first product on
  petscspmv::test::RememberErrors();
  petscspmv::test::LeaveOutWhatPetscDoesOnADevice();

  auto &listeners = testing::UnitTest::GetInstance()->listeners();
  if (petscspmv::test::Rank() > 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailurePrinter);
  }
  listeners.Append(new Watchdog);
  std::signal(SIGALRM, StopHangingTest);

  const bool failed = petscspmv::test::OnAnyRank(RUN_ALL_TESTS() != 0);
  return PetscFinalize() || failed ? 1 : 0;
}
