#pragma once

/// \file multiprocessor.cuh
/// What a multiprocessor has room for: blocks of threads, and their shared memory.

#include <algorithm>
#include <cstdint>

#include <cuda_runtime.h>

#include "kernels/device/memory/array.cuh"
#include "kernels/device/stream.cuh"

namespace petscspmv::ccoo::device {

using kernels::check_cuda;
using kernels::current_device;

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

/// Lets a kernel be launched with as much dynamic shared memory as the current device has for a block of threads. Not
/// only with as much as a matrix needs: the limit belongs to the kernel, which other matrices use, too. Throws
/// FormatError.
template <class... Parameters> void allow_shared_memory(void (*kernel)(Parameters...))
{
  int                most = 0;
  cudaFuncAttributes attributes{};
  check_cuda(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, current_device()),
             "tell the size of its shared memory");
  check_cuda(cudaFuncGetAttributes(&attributes, kernel), "describe a kernel");
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most - static_cast<int>(attributes.sharedSizeBytes)),
             "divide the memory of its multiprocessors");
}

} // namespace petscspmv::ccoo::device
