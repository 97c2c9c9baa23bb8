#include "core/runtime.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>
#if defined(__linux__)
  #include <sched.h>
#endif
#if defined(__unix__)
  #include <pthread.h>
#endif

#include <Kokkos_Core.hpp>

#include "core/errors.hpp"
#include "core/exchange.hpp"
#include "kernels/device/order.hpp"
#include "kernels/host/parallel.hpp"
#if defined(PETSCSPMV_CUDA)
  #include "kernels/device/stream.cuh"
#endif

#if defined(KOKKOS_ENABLE_OPENMP)
  #include <omp.h>
#endif

namespace petscspmv::runtime {
namespace {

/// While it lives, OpenMP's own number of threads is the one given; afterwards it is again what the program had.
///
/// Kokkos leaves its number behind in the whole process (omp_set_num_threads), and before that it starts as many
/// threads as OpenMP would, only to count them. Neither may happen to a program that uses OpenMP for itself.
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

/// Host threads that have been started, by Kokkos or, where that could not be, by OpenMP alone.
std::atomic<int> threads_there{1};
bool             without_kokkos = false;

/// There are no threads to be had any more: this process was forked, or is ending.
std::atomic<bool> threads_gone{false};

#if defined(__unix__)
/// From when this library is loaded, and not from when threads are started: where the program has had a parallel region
/// of its own, the child of a fork has OpenMP's books of threads that it lacks, and with GCC's libgomp its first region
/// waits for them without end.
[[maybe_unused]] const int expecting_forks = pthread_atfork(nullptr, nullptr, [] { threads_gone = true; });
#endif

bool is_in_parallel()
{
#if defined(KOKKOS_ENABLE_OPENMP)
  return omp_in_parallel();
#else
  return false;
#endif
}

void end()
{
  // In a forked process, Kokkos would wait for threads that are not there.
  if (!threads_gone.exchange(true) && Kokkos::is_initialized() && !Kokkos::is_finalized()) Kokkos::finalize();
}

Kokkos::InitializationSettings settings(int threads)
{
  Kokkos::InitializationSettings settings;
  settings.set_num_threads(threads).set_disable_warnings(true);
#if defined(PETSCSPMV_CUDA)
  settings.set_device_id(kernels::current_device());
#endif
  return settings;
}

/// One starts something at a time.
std::mutex starting;

/// Kokkos was started here, and not by the program.
bool kokkos_is_ours = false;

void initialize_kokkos(int threads)
{
  const OpenMPThreads during(threads);
  Kokkos::initialize(settings(threads));
  kokkos_is_ours = true;
  std::atexit(end);
}

/// Starts `threads`; returns how many there are then.
int start_threads(int threads)
{
#if defined(PETSCSPMV_CUDA)
  // A Kokkos with CUDA ends the process where it finds no device that it likes.
  if (!has_device()) {
    without_kokkos = true;
    return threads;
  }
#else
  // One thread does without Kokkos, whose start takes as long as some ten products of a small matrix.
  if (threads == 1) return 1;
#endif
  initialize_kokkos(threads);
  return static_cast<int>(Kokkos::DefaultHostExecutionSpace::concurrency());
}

} // namespace

void start(int threads)
{
  const std::lock_guard lock(starting);
  if (without_kokkos || Kokkos::is_finalized() || threads_gone) return;
  int there = 1;
  if (Kokkos::is_initialized()) {
    there = static_cast<int>(Kokkos::DefaultHostExecutionSpace::concurrency());
#if defined(KOKKOS_ENABLE_OPENMP)
    // Started for one thread, it stays with that; others are OpenMP's own, see deal() in parallel.cpp.
    if (kokkos_is_ours && there == 1) there = is_in_parallel() ? max_threads() : std::max(threads, max_threads());
#endif
  } else if (!is_in_parallel()) there = start_threads(std::max(threads, 1));
  threads_there.store(std::max(there, 1), std::memory_order_release);
}

bool start_kokkos()
{
  const std::lock_guard lock(starting);
  if (Kokkos::is_initialized()) return true;
  if (without_kokkos || Kokkos::is_finalized() || threads_gone || is_in_parallel()) return false;
  initialize_kokkos(max_threads());
  return true;
}

int max_threads()
{
  return threads_there.load(std::memory_order_acquire);
}

bool has_workers()
{
  return max_threads() > 1 && !threads_gone.load(std::memory_order_relaxed) && !is_in_parallel() &&
         (without_kokkos || Kokkos::is_initialized());
}

void for_each_batch(int threads, std::int64_t n, std::int64_t batch, const std::function<void(std::int64_t, std::int64_t)> &work)
{
  kernels::try_each_batch(threads, n, batch, work);
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

bool is_on_device(const void *)
{
  return false;
}

void bring_to_host(const void *, std::size_t, void *) { }

DeviceName device_name()
{
  throw FormatError(device_problem());
}

std::unique_ptr<PeerExchange> make_exchange(int, const ExchangedEntries &, const ExchangedEntries &)
{
  throw FormatError(device_problem());
}
#endif

} // namespace petscspmv::runtime

#if !defined(PETSCSPMV_CUDA)
namespace petscspmv::kernels {

StreamOrder::~StreamOrder() = default;
StreamTurn::StreamTurn(StreamOrder &order, DeviceWork) : order_(order) { }
StreamTurn::~StreamTurn() = default;

} // namespace petscspmv::kernels
#endif
