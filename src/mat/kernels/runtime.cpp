#include "core/runtime.hpp"

#include <algorithm>
#include <cstdlib>
#include <thread>
#if defined(__linux__)
  #include <sched.h>
#endif

#include <Kokkos_Core.hpp>

#if defined(PETSCSPMV_CUDA)
  #include "kernels/device_stream.cuh"
#endif

#if defined(KOKKOS_ENABLE_OPENMP)
  #include <omp.h>
#endif

namespace petscspmv::runtime {
namespace {

/// While it lives, OpenMP's own number of threads is the one given; afterwards it is again what the program had.
///
/// Kokkos leaves its number behind in the whole process (omp_set_num_threads), and before that it starts as many threads as
/// OpenMP would, only to count them. Neither may happen to a program that uses OpenMP for itself.
class OpenMPThreads {
public:
#if defined(KOKKOS_ENABLE_OPENMP)
  explicit OpenMPThreads(int threads) : before_(omp_get_max_threads())
  {
    omp_set_num_threads(threads);
  }
  ~OpenMPThreads()
  {
    omp_set_num_threads(before_);
  }

private:
  int before_;
#else
  explicit OpenMPThreads(int) { }
#endif
};

/// Threads of OpenMP that are used without Kokkos; 0 where Kokkos is.
int threads_without_kokkos = 0;

Kokkos::InitializationSettings settings(int threads)
{
  Kokkos::InitializationSettings settings;
  settings.set_num_threads(threads).set_disable_warnings(true);
#if defined(PETSCSPMV_CUDA)
  settings.set_device_id(kernels::current_device());
#endif
  return settings;
}

} // namespace

void start(int threads)
{
  if (Kokkos::is_initialized() || Kokkos::is_finalized()) return;
  threads = std::max(threads, 1);
#if defined(PETSCSPMV_CUDA)
  // A Kokkos with CUDA ends the process where it finds no device that it likes.
  if (!has_device()) {
    threads_without_kokkos = threads;
    return;
  }
#else
  // One thread does without Kokkos, whose start takes as long as some ten products of a small matrix.
  if (threads == 1) return;
#endif
  const OpenMPThreads during(threads);
  Kokkos::initialize(settings(threads));
  std::atexit([] {
    if (Kokkos::is_initialized() && !Kokkos::is_finalized()) Kokkos::finalize();
  });
}

int max_threads()
{
  if (!Kokkos::is_initialized()) return std::max(1, threads_without_kokkos);
  static const int threads = std::max(1, static_cast<int>(Kokkos::DefaultHostExecutionSpace::concurrency()));
  return threads;
}

int processors()
{
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::string description()
{
  std::string text = "Kokkos " + std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
                     std::to_string(KOKKOS_VERSION % 100);
  text += std::string(", host backend ") + Kokkos::DefaultHostExecutionSpace::name();
#if defined(PETSCSPMV_CUDA)
  text += has_device() ? ", device backend Cuda" : ", no device";
#endif
  return text;
}

#if !defined(PETSCSPMV_CUDA)
bool has_device()
{
  return false;
}

std::string device_problem()
{
  return "This petscspmv was built without kernels for a device; build it with CUDA (make CUDA=1), or use host vectors.";
}

void use_stream(void *) { }

bool is_recording()
{
  return false;
}
#endif

} // namespace petscspmv::runtime
