// A process that was forked from one with a pool of threads ends: its end waits for none of them. A program of its own,
// because OpenMP does wait for its threads.

#include <cstdlib>

#include <sys/wait.h>
#include <unistd.h>

#include "kernels/host/worker_pool.hpp"

namespace {

int calls_of(int others)
{
  int calls = 0;
  petscspmv::kernels::WorkerPool::instance().run(
    others, [](const void *count) { ++*static_cast<int *>(const_cast<void *>(count)); }, &calls);
  return calls;
}

} // namespace

int main()
{
  petscspmv::kernels::WorkerPool::instance().run(
    3, [](const void *) {}, nullptr); // there are threads now
  const pid_t child = fork();
  if (child < 0) return 1;
  if (child == 0) {
    alarm(20);
    std::exit(calls_of(3) == 1 ? 0 : 1);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}
