#pragma once

/// \file arrival.cuh
/// Threads that bring data to shared memory together (cp.async) and wait only where all of it has to be there.

#include <cuda_awbarrier_primitives.h>

namespace petscspmv::kernels {

/// A barrier in shared memory, passed in rounds. In each round a thread arrives twice: itself, and through its copies
/// as soon as these are there. Between arrive() and wait() it may do what needs neither.
class Arrival {
public:
  using Token = __mbarrier_token_t;

  /// By one thread, once, before the first arrive(), with a __syncthreads() between.
  __device__ void begin(int threads) { __mbarrier_init(&barrier_, 2 * static_cast<unsigned>(threads)); }

  /// The calling thread has asked for its part of some copies, and reads nothing more of what the next ones overwrite.
  ///
  /// Copies are counted beforehand (noinc). With the form that counts them when they are asked for
  /// (__pipeline_arrive_on) results are the same, but compute-sanitizer's synccheck takes them for an arrival of the
  /// thread and its own for a second one without a wait.
  __device__ Token arrive()
  {
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(&barrier_));
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address) : "memory");
    return __mbarrier_arrive(&barrier_);
  }

  /// All threads have, and their copies are there.
  __device__ void wait(Token token)
  {
    constexpr unsigned nanoseconds = 1000; // before it looks again by itself
    while (!__mbarrier_try_wait(&barrier_, token, nanoseconds)) { }
  }

private:
  __mbarrier_t barrier_;
};

} // namespace petscspmv::kernels
