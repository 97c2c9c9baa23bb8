#include "kernels/host/parallel.hpp"

#include <algorithm>
#include <atomic>

#include <Kokkos_Core.hpp>

#include "core/runtime.hpp"
#include "kernels/host/worker_pool.hpp"

namespace petscspmv::kernels {
namespace {

/// Tickets that nobody has taken yet.
struct Queue {
  std::int64_t tickets;
  void (*work)(const void *context, std::int64_t ticket);
  const void                       *context;
  mutable std::atomic<std::int64_t> next{0};

  /// Takes tickets for as long as there are some.
  void drain() const
  {
    for (std::int64_t t; (t = next.fetch_add(1, std::memory_order_relaxed)) < tickets;) work(context, t);
  }
};

/// The threads of the runtime serve one thread of the program at a time. Another one that comes meanwhile, or that may
/// not have them at all, does its parts itself.
class Turn {
public:
  Turn() : mine_(runtime::has_workers() && !taken.exchange(true, std::memory_order_acquire)) { }
  ~Turn()
  {
    if (mine_) taken.store(false, std::memory_order_release);
  }
  Turn(const Turn &)            = delete;
  Turn &operator=(const Turn &) = delete;

  explicit operator bool() const { return mine_; }

private:
  static inline std::atomic<bool> taken{false};

  const bool mine_;
};

/// Whether the threads are those of Kokkos, which may have been started for one alone.
bool has_kokkos_threads()
{
  return Kokkos::is_initialized() && Kokkos::DefaultHostExecutionSpace::concurrency() > 1;
}

/// Parts 0 .. parts - 1 on the threads of the runtime.
void deal(int parts, void (*work)(const void *, int), const void *context)
{
  if (has_kokkos_threads()) {
    using Space = Kokkos::DefaultHostExecutionSpace;
    Kokkos::parallel_for("petscspmv", Kokkos::RangePolicy<Space>(0, parts), [=](int part) { work(context, part); });
    return;
  }
  // A build for a device where there is none and Kokkos could not be started, or where it was started for one thread;
  // see runtime.cpp.
#if defined(KOKKOS_ENABLE_OPENMP)
  #pragma omp parallel for num_threads(runtime::max_threads()) schedule(static)
#endif
  for (int part = 0; part < parts; ++part) work(context, part);
}

} // namespace

void run_parts(int parts, void (*work)(const void *, int), const void *context)
{
  if (const Turn turn; turn) return deal(parts, work, context);
  for (int part = 0; part < parts; ++part) work(context, part);
}

void run_tickets(int threads, std::int64_t tickets, void (*work)(const void *, std::int64_t), const void *context)
{
  threads = static_cast<int>(std::min<std::int64_t>(threads, tickets));
  const Queue queue{tickets, work, context};
  if (threads > runtime::max_threads())
    return WorkerPool::instance().run(
      threads - 1, [](const void *shared) { static_cast<const Queue *>(shared)->drain(); }, &queue);
  const Turn turn;
  if (!turn) return queue.drain();
  if (has_kokkos_threads() && threads == runtime::max_threads()) {
    using Space  = Kokkos::DefaultHostExecutionSpace;
    using Policy = Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for("petscspmv", Policy(0, tickets, Kokkos::ChunkSize(1)), [=](std::int64_t ticket) { work(context, ticket); });
    return;
  }
  // A dynamic schedule of Kokkos takes all its threads. Fewer draw their tickets themselves.
  deal(
    threads, [](const void *shared, int) { static_cast<const Queue *>(shared)->drain(); }, &queue);
}

} // namespace petscspmv::kernels
