#pragma once

/// \file beside.cuh
/// Kernels on one stream that run side by side.

#include "kernels/device/launch.cuh"

namespace petscspmv::kernels {

/// Kernels that have nothing to do with each other, such as those of the parts of a product. The first one begins when
/// all that is in the stream before has ended; the others may begin when all blocks of the one before have, and none is
/// over before that one is. Each kernel has a BesideOthers.
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

/// What a kernel of LaunchesBeside, whose grid has one dimension, has from its beginning to its end. Only its last
/// block waits for the kernel before: if all did, they would not make room for those that have not begun yet, and 212
/// blocks of one kernel kept 4924 of another one from going on for 6 us.
struct BesideOthers {
  __device__ BesideOthers() { cudaTriggerProgrammaticLaunchCompletion(); }
  __device__ ~BesideOthers()
  {
    if (blockIdx.x == gridDim.x - 1) cudaGridDependencySynchronize();
  }
  BesideOthers(const BesideOthers &)            = delete;
  BesideOthers &operator=(const BesideOthers &) = delete;
};

} // namespace petscspmv::kernels
