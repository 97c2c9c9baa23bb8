#pragma once

/// \file launch.cuh
/// Launches of kernels on the current stream.
///
/// By CUDA's own call and not by Kokkos::parallel_for: an instance of Kokkos::Cuda would have to end before PETSc's
/// stream does.

#include <cstddef>

#include <cuda_runtime.h>

#include "kernels/device/stream.cuh"

namespace petscspmv::kernels {

struct LaunchShape {
  unsigned    blocks  = 1;
  unsigned    threads = 1;
  std::size_t shared  = 0; ///< bytes of dynamic shared memory
};

/// One thread for each of n > 0 things.
template <class Index> LaunchShape one_thread_each(Index n)
{
  constexpr Index threads = 256;
  return {static_cast<unsigned>((n + threads - 1) / threads), static_cast<unsigned>(threads)};
}

/// One warp for each of n > 0 things: that of warp_number() in the kernel.
inline LaunchShape one_warp_each(std::size_t n)
{
  constexpr unsigned warps = 4, lanes = 32;
  return {static_cast<unsigned>((n + warps - 1) / warps), warps * lanes};
}
__device__ inline unsigned warp_number()
{
  return (blockIdx.x * blockDim.x + threadIdx.x) / 32;
}

inline cudaLaunchConfig_t launch_config(const LaunchShape &shape)
{
  cudaLaunchConfig_t config{};
  config.gridDim          = dim3(shape.blocks);
  config.blockDim         = dim3(shape.threads);
  config.dynamicSmemBytes = shape.shared;
  config.stream           = current_stream();
  return config;
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const LaunchShape &shape, const Arguments &...arguments)
{
  const cudaLaunchConfig_t config = launch_config(shape);
  // What goes wrong here stays CUDA's last error, which PETSc looks at after every operation.
  static_cast<void>(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
}

/// The same for a kernel that waits, by cudaGridDependencySynchronize(), for the one before it, which has said that
/// this may begin early.
template <class... Parameters, class... Arguments>
void launch_with_last(void (*kernel)(Parameters...), const LaunchShape &shape, const Arguments &...arguments)
{
  cudaLaunchConfig_t  config = launch_config(shape);
  cudaLaunchAttribute early{};
  early.id                                         = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  config.attrs                                     = &early;
  config.numAttrs                                  = 1;
  static_cast<void>(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
}

} // namespace petscspmv::kernels
