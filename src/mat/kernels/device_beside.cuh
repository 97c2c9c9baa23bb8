#pragma once

/// \file device_beside.cuh
/// Kernels on one stream that run side by side.

#include "kernels/device_launch.cuh"

namespace petscspmv::kernels {

/// Kernels that have nothing to do with each other, such as those of the parts of a product. The first one begins when all that is in the stream before has
/// ended; the others may begin when all blocks of the one before have, and each is over when that one is. Each kernel has a BesideOthers. A stencil with five
/// materials and holes, of repeated rows, a few units, some of which slide, and a few chunks: 46.9 us instead of 59.9 (H200, cold).
class LaunchesBeside {
public:
  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), const LaunchShape &shape, const Arguments &...arguments)
  {
    if (first_) kernels::launch(kernel, shape, arguments...);
    else launch_with_last(kernel, shape, arguments...);
    first_ = false;
  }

private:
  bool first_ = true;
};

/// What a kernel of LaunchesBeside has from its beginning to its end.
struct BesideOthers {
  __device__ BesideOthers() { cudaTriggerProgrammaticLaunchCompletion(); }
  __device__ ~BesideOthers() { cudaGridDependencySynchronize(); }
  BesideOthers(const BesideOthers &)            = delete;
  BesideOthers &operator=(const BesideOthers &) = delete;
};

} // namespace petscspmv::kernels
