#include "kernels/host/worker_pool.hpp"

#include <system_error>
#include <thread>

#include <unistd.h>

namespace petscspmv::kernels {

WorkerPool &WorkerPool::instance()
{
  static auto &pool = *new WorkerPool; // never destroyed: static objects of the program may still multiply in their destructors
  return pool;
}

WorkerPool::WorkerPool() : process_(getpid()) { }

bool WorkerPool::is_forked() const
{
  return getpid() != process_;
}

void WorkerPool::run(int others, void (*work)(const void *context), const void *context)
{
  if (others <= 0 || is_forked()) return work(context);
  Job job{work, context, others, 0, {}};
  {
    const std::lock_guard lock(mutex_);
    demand_ += static_cast<std::size_t>(others);
    grow(demand_);
    jobs_.push_back(&job);
  }
  ready_.notify_all();
  work(context);
  std::unique_lock lock(mutex_);
  if (job.wanted > 0) jobs_.remove(&job);
  demand_ -= static_cast<std::size_t>(others);
  job.done.wait(lock, [&job] { return job.running == 0; });
}

void WorkerPool::grow(std::size_t threads)
{
  try {
    for (; threads_ < threads; ++threads_) std::thread([this] { serve(); }).detach();
  } catch (const std::system_error &) { // the system gives no more: those that are there do it
  }
}

/// What a thread of the pool does.
void WorkerPool::serve()
{
  std::unique_lock lock(mutex_);
  for (;;) {
    ready_.wait(lock, [this] { return !jobs_.empty(); });
    Job &job = *jobs_.front();
    ++job.running;
    if (--job.wanted == 0) jobs_.pop_front();
    lock.unlock();
    job.work(job.context);
    lock.lock();
    if (--job.running == 0) job.done.notify_one();
  }
}

} // namespace petscspmv::kernels
