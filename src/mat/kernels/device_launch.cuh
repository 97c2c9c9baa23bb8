#pragma once

/// \file device_launch.cuh
/// Launches of kernels on the current stream.
///
/// By CUDA's own call and not by Kokkos::parallel_for: an instance of Kokkos::Cuda would have to end before PETSc's stream does.

#include <cuda_runtime.h>

#include "kernels/device_stream.hpp"

namespace petscspmv::kernels {

struct LaunchShape {
  unsigned    blocks  = 1;
  unsigned    threads = 1;
  std::size_t shared  = 0; ///< bytes of dynamic shared memory
};

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

/// The same for a kernel that waits, by cudaGridDependencySynchronize(), for the one before it, which has said that this may begin early.
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
