#pragma once

/// \file parallel.hpp
/// One call for "do these parts, at the same time if there are threads for it", and one for "take these tickets".

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>

namespace petscspmv::kernels {

/// Calls work(context, part) for part = 0 .. parts - 1, on as many threads as runtime::start was given, and returns
/// when all are done. Several threads of the program may call it at a time, and in parallel regions of their own: the
/// runtime's threads work for one of them, others do all parts themselves.
void run_parts(int parts, void (*work)(const void *context, int part), const void *context);

/// Calls work(part) for part = 0 .. parts - 1, at the same time if there are threads, and returns when all are done.
/// `work` must not throw.
///
/// One part is called as it is: Kokkos::Serial would take a lock and visit its profiling hooks, which is more than a
/// whole product of a small matrix takes.
template <class Work> void for_each_part(int parts, const Work &work)
{
  if (parts == 1) return work(0);
  run_parts(
    parts, [](const void *context, int part) { (*static_cast<const Work *>(context))(part); }, &work);
}

/// Calls work(context, ticket) for ticket = 0 .. tickets - 1 on `threads` > 1 threads, each taking the next ticket when
/// it has done one. More threads than runtime::max_threads() are those of a WorkerPool: for what is done once a matrix.
void run_tickets(int threads, std::int64_t tickets, void (*work)(const void *context, std::int64_t ticket), const void *context);

/// Calls work(ticket) for ticket = 0 .. tickets - 1 and returns when all are done. A thread that has done one takes the
/// next that nobody has taken, so that which thread does what is different each time; with one thread it is a plain
/// loop. `work` must not throw.
template <class Work> void for_each_ticket(int threads, std::int64_t tickets, const Work &work)
{
  if (threads == 1 || tickets <= 1)
    for (std::int64_t ticket = 0; ticket < tickets; ++ticket) work(ticket);
  else
    run_tickets(
      threads, tickets, [](const void *context, std::int64_t ticket) { (*static_cast<const Work *>(context))(ticket); }, &work);
}

/// The same for work that may throw: the first exception is thrown again when all is over, and tickets that are drawn
/// after it are not done.
template <class Work> void try_each_ticket(int threads, std::int64_t tickets, const Work &work)
{
  std::atomic<bool>  failed{false};
  std::exception_ptr failure;
  for_each_ticket(threads, tickets, [&](std::int64_t ticket) {
    if (failed.load(std::memory_order_relaxed)) return;
    try {
      work(ticket);
    } catch (...) {
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

/// Calls work(first, last) for batches of 0 .. n - 1, `batch` things each, which may throw: what a batch allocates
/// serves all of its things.
template <class Work> void try_each_batch(int threads, std::int64_t n, std::int64_t batch, const Work &work)
{
  try_each_ticket(threads, (n + batch - 1) / batch, [&](std::int64_t ticket) { work(ticket * batch, std::min(n, (ticket + 1) * batch)); });
}

} // namespace petscspmv::kernels
