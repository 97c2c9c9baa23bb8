/// \file first_product.cpp
/// A program whose first product with the plugin is where threads cannot simply be started: first_product <where>
/// [options].
///
///   region      in a parallel region of OpenMP, where each thread has a matrix of its own
///   task        in a task of OpenMP
///   thread      in a thread that is not the first one
///   fork        in a process that was forked before any product
///   after_fork  in a process that was forked after a product with threads, which it does not have
///   region_fork in a process that was forked after a parallel region of the program's own, before any product

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <thread>

#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bidiagonal.hpp"

namespace {

constexpr PetscInt kRows = 40000;

struct Problem : Bidiagonal {
  /// Whether a few products, transposed and not, are right.
  bool is_right() const
  {
    for (int k = 0; k < 3; ++k) {
      PetscReal norm;
      if (MatMult(A, x, y) || VecNorm(y, NORM_1, &norm) || norm != kRows + 1) return false; // rows with 2 - 1, one with 2
      if (MatMultTranspose(A, x, y) || VecNorm(y, NORM_1, &norm) || norm != kRows + 1) return false;
    }
    return true;
  }

  /// The same, called by several threads. A PETSc with checks keeps the functions that are being called on one stack
  /// for all of them, unless it was configured for threads: they take turns then.
  bool is_right_beside_others() const
  {
    static std::mutex turn;
    if (!PetscDefined(USE_DEBUG) || PetscDefined(HAVE_THREADSAFETY)) return is_right();
    const std::lock_guard lock(turn);
    return is_right();
  }
};

/// Whether the products in a forked process are right, and it ends.
bool is_right_in_child(const Problem &problem)
{
  const pid_t child = fork();
  if (child == 0) {
    alarm(300);
    std::exit(problem.is_right() ? 0 : 1);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool is_right(std::string_view where, const Problem (&problem)[2])
{
  bool right[2] = {false, true};
  if (where == "region") { // NOLINT(bugprone-branch-clone): with other threads
#pragma omp parallel num_threads(2)
    right[omp_get_thread_num()] = problem[omp_get_thread_num()].is_right_beside_others();
  } else if (where == "task") {
#pragma omp parallel num_threads(2)
#pragma omp          single
#pragma omp          task
    right[0] = problem[0].is_right();
  } else if (where == "thread") {
    std::thread([&] { right[0] = problem[0].is_right(); }).join();
  } else if (where == "fork") {
    right[0] = is_right_in_child(problem[0]);
  } else if (where == "after_fork") {
    right[1] = problem[0].is_right();
    right[0] = is_right_in_child(problem[0]) && is_right_in_child(problem[1]); // a format that is there, and one that is not
  } else if (where == "region_fork") {
    int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
    ++threads;
    right[0] = is_right_in_child(problem[0]) && threads == 2;
  }
  return right[0] && right[1] && problem[0].is_right() && problem[1].is_right(); // and later anywhere
}

} // namespace

int main(int argc, char **argv)
{
  const std::string_view where = argc > 1 ? argv[1] : "";
  Problem                problem[2];

  alarm(600);
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  for (Problem &p : problem) PetscCall(p.make(PETSC_COMM_SELF, kRows));
  const bool right = is_right(where, problem);
  std::printf("%.*s: %s\n", (int)where.size(), where.data(), right ? "right" : "wrong");
  for (Problem &p : problem) PetscCall(p.destroy());
  PetscCall(PetscFinalize());
  return right ? 0 : 1;
}
