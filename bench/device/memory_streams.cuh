#pragma once

/// \file memory_streams.cuh
/// Device memory read from end to end: to empty the cache, and to measure bandwidth.

#include <cstdint>

#include "kernels/device/memory/array.cuh"

namespace petscspmv::bench {

/// An array of zeros in device memory, to be read.
class ReadBuffer {
public:
  explicit ReadBuffer(std::int64_t bytes, cudaStream_t stream);

  std::int64_t bytes() const { return std::int64_t(array_.bytes()); }
  double      *data() const { return array_.data(); }

  /// Puts a kernel on the stream that reads all of it.
  void read(cudaStream_t stream) const;

private:
  kernels::DeviceArray<double> array_;
  kernels::DeviceArray<double> sink_; ///< [1], written if a sum of zeros is none
  int                          blocks_ = 1;
};

} // namespace petscspmv::bench
