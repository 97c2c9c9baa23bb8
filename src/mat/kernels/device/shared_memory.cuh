#pragma once

/// \file shared_memory.cuh
/// Permission to use much of the shared memory of a multiprocessor.

#include <cuda_runtime.h>

#include "kernels/device/memory/array.cuh"
#include "kernels/device/stream.cuh"

namespace petscspmv::kernels {

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

} // namespace petscspmv::kernels
