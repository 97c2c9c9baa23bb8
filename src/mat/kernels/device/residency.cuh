#pragma once

/// \file residency.cuh
/// How many blocks of threads a device works on at a time.

#include <algorithm>
#include <cstdint>

#include <cuda_runtime.h>

#include "kernels/device/memory/array.cuh"
#include "kernels/device/stream.cuh"

namespace petscspmv::kernels {

/// Blocks of `threads` threads and `shared` bytes of dynamic shared memory each that all multiprocessors of the current
/// device hold together; at least 1. Throws FormatError if CUDA does not tell.
template <class... Parameters> std::int64_t resident_blocks(void (*kernel)(Parameters...), unsigned threads, std::size_t shared)
{
  int each = 0, multiprocessors = 0;
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, static_cast<int>(threads), shared),
             "tell how many blocks of threads it can run");
  check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, current_device()), "count its multiprocessors");
  return std::max<std::int64_t>(std::int64_t(each) * multiprocessors, 1);
}

} // namespace petscspmv::kernels
