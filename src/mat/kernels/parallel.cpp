#include "kernels/parallel.hpp"

#include <atomic>

#include <Kokkos_Core.hpp>

#include "core/runtime.hpp"

namespace petscspmv::kernels {

void run_parts(int parts, void (*work)(const void *, int), const void *context)
{
  if (Kokkos::is_initialized()) {
    using Space = Kokkos::DefaultHostExecutionSpace;
    Kokkos::parallel_for("petscspmv", Kokkos::RangePolicy<Space>(0, parts), [=](int part) { work(context, part); });
    return;
  }
  // A build for a device where there is none: Kokkos could not be started, see runtime.cpp.
#if defined(KOKKOS_ENABLE_OPENMP)
  #pragma omp parallel for num_threads(runtime::max_threads()) schedule(static)
#endif
  for (int part = 0; part < parts; ++part) work(context, part);
}

void run_tickets(int threads, std::int64_t tickets, void (*work)(const void *, std::int64_t), const void *context)
{
  if (Kokkos::is_initialized() && threads >= runtime::max_threads()) {
    using Space  = Kokkos::DefaultHostExecutionSpace;
    using Policy = Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for("petscspmv", Policy(0, tickets, Kokkos::ChunkSize(1)), [=](std::int64_t ticket) { work(context, ticket); });
    return;
  }
  // A dynamic schedule of Kokkos takes all its threads. Fewer draw their tickets themselves.
  struct Queue {
    std::int64_t tickets;
    void (*work)(const void *, std::int64_t);
    const void                       *context;
    mutable std::atomic<std::int64_t> next{0};
  } const queue{tickets, work, context};
  run_parts(
    threads,
    [](const void *shared, int) {
      const auto &q = *static_cast<const Queue *>(shared);
      for (std::int64_t t; (t = q.next.fetch_add(1, std::memory_order_relaxed)) < q.tickets;) q.work(q.context, t);
    },
    &queue);
}

} // namespace petscspmv::kernels
