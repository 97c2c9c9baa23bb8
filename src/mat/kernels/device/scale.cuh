#pragma once

/// \file scale.cuh
/// y = beta y on the device.

#include "kernels/device/launch.cuh"
#include "kernels/device/scalar.cuh"

namespace petscspmv::kernels {

template <class S, class Index> __global__ void scale_kernel(Index n, const DeviceRowUpdate<S> update)
{
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) update.empty(i);
}

/// What `update` makes of n rows without entries.
template <class S, class Index> void scale_rows(Index n, const DeviceRowUpdate<S> &update)
{
  if (n > 0 && !update.adds) launch(scale_kernel<S, Index>, one_thread_each(n), n, update);
}

} // namespace petscspmv::kernels
