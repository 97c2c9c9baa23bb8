#include "device/memory_streams.cuh"

#include "device/events.hpp"

namespace petscspmv::bench {

namespace {

constexpr unsigned kThreads = 512;

/// Four loads of 16 bytes in flight a thread, which two full blocks a multiprocessor turn into the whole bandwidth.
__global__ void __launch_bounds__(kThreads) read_all(const double2 *__restrict__ a, std::size_t n, double *sink)
{
  constexpr int     loads  = 4;
  const std::size_t stride = std::size_t(gridDim.x) * kThreads;
  double            sum    = 0;
  for (std::size_t k = std::size_t(blockIdx.x) * kThreads + threadIdx.x; k < n; k += loads * stride) {
    double2 v[loads];
#pragma unroll
    for (int l = 0; l < loads; ++l) v[l] = k + l * stride < n ? a[k + l * stride] : double2{0, 0};
#pragma unroll
    for (int l = 0; l < loads; ++l) sum += v[l].x + v[l].y;
  }
  if (sum != 0) *sink = sum; // never; but the compiler must not leave the reading out
}

int multiprocessors()
{
  int device = 0, count = 1;
  check_cuda(cudaGetDevice(&device), "name the current device");
  check_cuda(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "describe the device");
  return count;
}

} // namespace

ReadBuffer::ReadBuffer(std::int64_t bytes, cudaStream_t stream)
  : array_(std::size_t(bytes) / sizeof(double2) * 2), sink_(1), blocks_(4 * multiprocessors())
{
  check_cuda(cudaMemsetAsync(array_.data(), 0, array_.bytes(), stream), "clear memory");
  check_cuda(cudaStreamSynchronize(stream), "clear memory");
}

void ReadBuffer::read(cudaStream_t stream) const
{
  read_all<<<unsigned(blocks_), kThreads, 0, stream>>>(reinterpret_cast<const double2 *>(array_.data()), array_.size() / 2, sink_.data());
  check_cuda(cudaGetLastError(), "read memory");
}

} // namespace petscspmv::bench
