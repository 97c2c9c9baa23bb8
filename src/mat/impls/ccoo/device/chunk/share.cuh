#pragma once

/// \file share.cuh
/// Work of blocks of threads that stay: consecutive things, as many for each block, and of those of a block the next
/// one for a warp that is done with one.

#include <cstdint>

namespace petscspmv::ccoo::device {

/// What is the work of this block of n things.
struct DeviceShare {
  unsigned first, last;

  __device__ explicit DeviceShare(unsigned n) : first(at(n, blockIdx.x)), last(at(n, blockIdx.x + 1)) { }

private:
  __device__ static unsigned at(unsigned n, unsigned block) { return static_cast<unsigned>(std::uint64_t(n) * block / gridDim.x); }
};

/// The next number for a warp, from what the warps of a block count in shared memory. Before, all its lanes have done
/// what they had to do.
__device__ inline unsigned take_next(unsigned &next)
{
  unsigned mine = 0;
  __syncwarp();
  if (threadIdx.x % 32 == 0) mine = atomicAdd(&next, 1);
  return __shfl_sync(~0u, mine, 0);
}

} // namespace petscspmv::ccoo::device
