#pragma once

/// \file device_array.cuh
/// Memory of the device, owned, and the one place where CUDA's errors become sentences.

#include <cstddef>
#include <string>
#include <utility>

#include <cuda_runtime.h>

#include "core/errors.hpp"
#include "kernels/device_stream.hpp"
#include "kernels/device_upload.hpp"

namespace petscspmv::kernels {

inline void check_cuda(cudaError_t error, const char *what)
{
  if (error == cudaSuccess) return;
  static_cast<void>(cudaGetLastError()); // an error that was reported must not be met again by somebody else
  throw FormatError(std::string("CUDA could not ") + what + ": " + cudaGetErrorString(error) +
                    ". The matrix can still be used on the host, with host vectors.");
}

inline bool is_on_device(const void *p)
{
  cudaPointerAttributes attributes{};
  check_cuda(cudaPointerGetAttributes(&attributes, p), "look up an address");
  return attributes.type == cudaMemoryTypeDevice;
}

/// n entries in device memory, and `pad` bytes of zeros behind them, which may be read: loads need not ask where the end is.
template <class T> class DeviceArray {
public:
  static constexpr std::size_t pad = 32 * 1024;

  DeviceArray() = default;
  explicit DeviceArray(std::size_t n) : n_(n)
  {
    const cudaError_t error = cudaMalloc(&p_, bytes() + pad);
    if (error == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      std::size_t free = 0, total = 0;
      static_cast<void>(cudaMemGetInfo(&free, &total));
      throw FormatError("The device has no room for another " + std::to_string(bytes() >> 20) + " MiB (" + std::to_string(free >> 20) +
                        " of " + std::to_string(total >> 20) + " MiB are free). Spread the matrix over more devices, or use host vectors.");
    }
    check_cuda(error, "allocate memory");
    check_cuda(cudaMemsetAsync(reinterpret_cast<char *>(p_) + bytes(), 0, pad, current_stream()), "clear memory");
  }
  DeviceArray(DeviceArray &&other) noexcept : p_(std::exchange(other.p_, nullptr)), n_(std::exchange(other.n_, 0)) { }
  DeviceArray &operator=(DeviceArray &&other) noexcept
  {
    std::swap(p_, other.p_);
    std::swap(n_, other.n_);
    return *this;
  }
  ~DeviceArray() { static_cast<void>(cudaFree(p_)); } // waits for kernels that still read it

  T          *data() const { return p_; }
  std::size_t size() const { return n_; }
  std::size_t bytes() const { return n_ * sizeof(T); }

  /// Copies from host or device memory, on the stream, with so many threads of the host. Host memory may change as soon as this returns.
  void upload(const T *from, int threads = 1)
  {
    if (n_ == 0) return;
    cudaPointerAttributes attributes{};
    check_cuda(cudaPointerGetAttributes(&attributes, from), "look up an address");
    if (attributes.type == cudaMemoryTypeUnregistered) return kernels::upload(p_, from, bytes(), threads);
    check_cuda(cudaMemcpyAsync(p_, from, bytes(), cudaMemcpyDefault, current_stream()), "copy to the device");
    // Page-locked memory has been read only when the stream gets there.
    if (attributes.type == cudaMemoryTypeHost) check_cuda(cudaStreamSynchronize(current_stream()), "copy to the device");
  }

  /// Sets all bytes to this one, on the stream.
  void fill(int byte)
  {
    if (n_ > 0) check_cuda(cudaMemsetAsync(p_, byte, bytes(), current_stream()), "clear memory");
  }
  void clear() { fill(0); }

  /// Copies the first n entries to host memory, and waits for them.
  void download(T *to, std::size_t n) const
  {
    check_cuda(cudaMemcpyAsync(to, p_, n * sizeof(T), cudaMemcpyDefault, current_stream()), "copy to the host");
    check_cuda(cudaStreamSynchronize(current_stream()), "copy to the host");
  }

private:
  T          *p_ = nullptr;
  std::size_t n_ = 0;
};

} // namespace petscspmv::kernels
