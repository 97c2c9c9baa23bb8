#pragma once

/// \file stream.cuh
/// Where device work goes: the calling thread's device, and the stream that runtime::use_stream has chosen.

#include <cuda_runtime.h>

namespace petscspmv::kernels {

cudaStream_t current_stream();

/// Only where there is a device.
int current_device();

/// Both of the thread that makes this, for threads that work for it. Throws FormatError.
class DevicePlace {
public:
  void take() const;

private:
  int          device_ = current_device();
  cudaStream_t stream_ = current_stream();
};

} // namespace petscspmv::kernels
