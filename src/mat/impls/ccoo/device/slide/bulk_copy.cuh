#pragma once

/// \file bulk_copy.cuh
/// Copies from global to shared memory by the copy engine of compute capability 9: one thread asks, nobody's registers
/// carry the data.

#include <cstdint>

namespace petscspmv::ccoo::device {

/// A barrier in shared memory that is passed when all announced bytes have arrived. Rounds of copies follow each other.
class BulkCopy {
public:
  /// By one thread, once, before the others' first wait(), with a __syncthreads() between.
  __device__ void begin()
  {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(&barrier_)));
    asm volatile("fence.mbarrier_init.release.cluster;");
  }

  /// By the same thread, for every round: how many bytes will be copied, all in all.
  __device__ void announce(unsigned bytes)
  {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address(&barrier_)), "r"(bytes) : "memory");
  }

  /// By the same thread; addresses and length are multiples of 16. The data stays in the second-level cache: others
  /// want it, too.
  __device__ void copy(void *to, const void *from, unsigned bytes)
  {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(to)), "l"(from),
                 "r"(bytes), "r"(address(&barrier_))
                 : "memory");
  }

  /// By every thread that reads the data: the round, from 0 on.
  __device__ void wait(unsigned round)
  {
    asm volatile("{\n"
                 ".reg .pred arrived;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared.b64 arrived, [%0], %1;\n"
                 "@!arrived bra again;\n"
                 "}" ::"r"(address(&barrier_)),
                 "r"(round & 1)
                 : "memory");
  }

private:
  __device__ static unsigned address(const void *p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

  std::uint64_t barrier_;
};

} // namespace petscspmv::ccoo::device
