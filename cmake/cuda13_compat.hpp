#pragma once

// CUDA 13 changed the parameters of two functions that Kokkos 4.7.00 calls in their old form. These overloads bring the old form back.
// Given with -include wherever Kokkos' headers or sources are compiled for CUDA.

#include <cuda_runtime.h>

#if CUDART_VERSION >= 13000

inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n)
{
  return cudaGraphAddDependencies(graph, from, to, nullptr, n);
}

inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, int device, cudaStream_t stream = nullptr)
{
  cudaMemLocation location{};
  location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id   = device;
  return cudaMemPrefetchAsync(p, bytes, location, 0, stream);
}

#endif
