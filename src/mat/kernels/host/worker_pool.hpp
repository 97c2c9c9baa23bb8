#pragma once

/// \file worker_pool.hpp
/// Threads that wait for work, for where Kokkos has none: to start sixteen takes about a millisecond, as long as one of
/// the steps that they are for, to wake them and wait for all 21 us (16 cores beside an H200).

#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>

namespace petscspmv::kernels {

/// Those of this process. There are as many as were ever wanted at a time, asleep between one call and the next, and
/// from the last one to the end.
class WorkerPool {
public:
  static WorkerPool &instance();
  WorkerPool(const WorkerPool &)            = delete;
  WorkerPool &operator=(const WorkerPool &) = delete;

  /// Calls work(context) here and in up to `others` other threads, and returns when all calls have: none begins when
  /// this one has returned. Several threads may do so at a time. Where the system gives no threads, or in a process
  /// that was forked from that of the pool, it is called here only.
  void run(int others, void (*work)(const void *context), const void *context);

private:
  struct Job {
    void (*work)(const void *context);
    const void             *context;
    int                     wanted;      ///< calls that others may still begin
    int                     running = 0; ///< calls of others that have not returned
    std::condition_variable done;
  };

  WorkerPool();

  bool is_forked() const;
  void grow(std::size_t threads);
  void serve();

  const long              process_;
  std::mutex              mutex_; ///< of all that follows
  std::condition_variable ready_;
  std::list<Job *>        jobs_;
  std::size_t             demand_  = 0; ///< others that jobs asked for
  std::size_t             threads_ = 0;
};

} // namespace petscspmv::kernels
