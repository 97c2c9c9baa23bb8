#pragma once

/// \file device_share.cuh
/// Work that is dealt to blocks of threads once: consecutive things, as many for each.

#include <cstdint>

namespace petscspmv::kernels {

/// What is the work of this block of n things.
struct DeviceShare {
  unsigned first, last;

  __device__ explicit DeviceShare(unsigned n) : first(at(n, blockIdx.x)), last(at(n, blockIdx.x + 1)) { }

private:
  __device__ static unsigned at(unsigned n, unsigned block) { return static_cast<unsigned>(std::uint64_t(n) * block / gridDim.x); }
};

} // namespace petscspmv::kernels
