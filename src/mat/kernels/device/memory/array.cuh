#pragma once

/// \file array.cuh
/// Memory of the device, owned, and the one place where CUDA's errors become sentences.

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <cuda_runtime.h>

#include "core/errors.hpp"
#include "kernels/device/memory/staged.hpp"
#include "kernels/device/stream.cuh"

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

/// Device memory that arrays share, which is freed with the last of them: to allocate it takes 0.1 to 0.3 ms, and so
/// does each array that has its own.
class DeviceBlock {
public:
  DeviceBlock() = default;
  /// Throws FormatError if there is no room.
  explicit DeviceBlock(std::size_t bytes)
  {
    void             *p     = nullptr;
    const cudaError_t error = bytes > 0 ? cudaMalloc(&p, bytes) : cudaSuccess;
    if (error == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());
      std::size_t free = 0, total = 0;
      static_cast<void>(cudaMemGetInfo(&free, &total));
      throw FormatError("The device has no room for another " + std::to_string(bytes >> 20) + " MiB (" + std::to_string(free >> 20) +
                        " of " + std::to_string(total >> 20) + " MiB are free). Spread the matrix over more devices, or use host vectors.");
    }
    check_cuda(error, "allocate memory");
    memory_.reset(static_cast<char *>(p), [](char *q) { static_cast<void>(cudaFree(q)); }); // waits for kernels that still read it
  }

  /// The next `bytes`, a multiple of `grain`, which nobody has taken yet.
  std::shared_ptr<char> take(std::size_t bytes) { return {memory_, memory_.get() + std::exchange(taken_, taken_ + bytes)}; }

  static constexpr std::size_t grain = 256;

private:
  std::shared_ptr<char> memory_;
  std::size_t           taken_ = 0;
};

/// n entries in device memory, and `pad` bytes of zeros behind them, which may be read: loads need not ask where the
/// end is. Copies have the same memory.
template <class T> class DeviceArray {
public:
  static constexpr std::size_t pad = std::size_t(32) * 1024;

  /// Bytes that n entries take of a block.
  static constexpr std::size_t room(std::size_t n)
  {
    return (n * sizeof(T) + pad + DeviceBlock::grain - 1) / DeviceBlock::grain * DeviceBlock::grain;
  }

  DeviceArray() = default;
  explicit DeviceArray(std::size_t n) : DeviceArray(n, DeviceBlock(room(n))) { }
  /// In a block that has room(n) bytes left.
  DeviceArray(std::size_t n, DeviceBlock &block) : p_(block.take(room(n))), n_(n)
  {
    check_cuda(cudaMemsetAsync(p_.get() + bytes(), 0, pad, current_stream()), "clear memory");
  }
  DeviceArray(const DeviceArray &) = default;
  DeviceArray(DeviceArray &&other) noexcept : p_(std::move(other.p_)), n_(std::exchange(other.n_, 0)) { }
  DeviceArray &operator=(DeviceArray &&other) noexcept
  {
    std::swap(p_, other.p_);
    std::swap(n_, other.n_);
    return *this;
  }

  T          *data() const { return reinterpret_cast<T *>(p_.get()); }
  std::size_t size() const { return n_; }
  std::size_t bytes() const { return n_ * sizeof(T); }

  /// Copies from host or device memory, on the stream, with so many threads of the host. Host memory may change as soon
  /// as this returns.
  void upload(const T *from, int threads = 1)
  {
    if (n_ == 0) return;
    cudaPointerAttributes attributes{};
    check_cuda(cudaPointerGetAttributes(&attributes, from), "look up an address");
    if (attributes.type == cudaMemoryTypeUnregistered) return kernels::upload(data(), from, bytes(), threads);
    check_cuda(cudaMemcpyAsync(data(), from, bytes(), cudaMemcpyDefault, current_stream()), "copy to the device");
    // Page-locked memory has been read only when the stream gets there.
    if (attributes.type == cudaMemoryTypeHost) check_cuda(cudaStreamSynchronize(current_stream()), "copy to the device");
  }

  /// Sets all bytes to this one, on the stream.
  void fill(int byte)
  {
    if (n_ > 0) check_cuda(cudaMemsetAsync(data(), byte, bytes(), current_stream()), "clear memory");
  }
  void clear() { fill(0); }

  /// Copies the first n entries to host memory, and waits for them.
  void download(T *to, std::size_t n) const
  {
    check_cuda(cudaMemcpyAsync(to, data(), n * sizeof(T), cudaMemcpyDefault, current_stream()), "copy to the host");
    check_cuda(cudaStreamSynchronize(current_stream()), "copy to the host");
  }

private:
  DeviceArray(std::size_t n, DeviceBlock &&block) : DeviceArray(n, block) { }

  std::shared_ptr<char> p_;
  std::size_t           n_ = 0;
};

} // namespace petscspmv::kernels
