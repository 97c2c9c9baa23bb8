#pragma once

/// \file device_launch.cuh
/// Launches of kernels on the current stream.
///
/// By CUDA's own call and not by Kokkos::parallel_for: an instance of Kokkos::Cuda would have to end before PETSc's stream does, and a
/// kernel launched by Kokkos cannot begin while the one before it drains.

#include <cuda_runtime.h>

#include "kernels/device_stream.hpp"

namespace petscspmv::kernels {

struct LaunchShape {
  unsigned    blocks  = 1;
  unsigned    threads = 1;
  std::size_t shared  = 0; ///< bytes of dynamic shared memory

  /// May begin before the kernel before it on the stream has ended. It has to call cudaGridDependencySynchronize() before it
  /// touches what that one writes, or what that one reads and it writes.
  bool overlaps = false;
};

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const LaunchShape &shape, const Arguments &...arguments)
{
  cudaLaunchAttribute overlap{};
  overlap.id                                         = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;

  cudaLaunchConfig_t config{};
  config.gridDim          = dim3(shape.blocks);
  config.blockDim         = dim3(shape.threads);
  config.dynamicSmemBytes = shape.shared;
  config.stream           = current_stream();
  config.attrs            = &overlap;
  config.numAttrs         = shape.overlaps ? 1 : 0;
  // What goes wrong here stays CUDA's last error, which PETSc looks at after every operation.
  static_cast<void>(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
}

} // namespace petscspmv::kernels
