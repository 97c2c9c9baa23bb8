/// \file cuda_device.cu
/// The current device of CUDA.

#include <algorithm>
#include <limits>

#include "core/runtime.hpp"
#include "device/cuda_stopwatch.cuh"

namespace petscspmv::bench {

namespace {

/// Twice the cache would empty it. This much also keeps the device busy (over 100 us on an H200) until the host has put
/// the product on the stream.
constexpr std::int64_t kLeastFlush = std::int64_t(512) << 20;

constexpr std::int64_t kBandwidthBytes = std::int64_t(1) << 30;
constexpr int          kPasses         = 10;

std::string version_text(int version)
{
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

DeviceInfo current_device()
{
  int            device = 0, driver = 0, runtime = 0;
  cudaDeviceProp properties{};
  check_cuda(cudaGetDevice(&device), "name the current device");
  check_cuda(cudaGetDeviceProperties(&properties, device), "describe the device");
  check_cuda(cudaDriverGetVersion(&driver), "tell the driver's version");
  check_cuda(cudaRuntimeGetVersion(&runtime), "tell the runtime's version");
  return {properties.name, "CUDA " + version_text(runtime) + ", driver for " + version_text(driver), properties.l2CacheSize,
          std::int64_t(properties.totalGlobalMem), properties.multiProcessorCount};
}

class CudaDevice final : public Device {
public:
  explicit CudaDevice(cudaStream_t stream) : stream_(stream), info_(current_device()) { runtime::use_stream(stream); }

  const DeviceInfo &info() const override { return info_; }

  std::int64_t free_bytes() const override
  {
    std::size_t free = 0, all = 0;
    check_cuda(cudaMemGetInfo(&free, &all), "tell how much of its memory is free");
    return std::int64_t(free);
  }

  Bandwidth bandwidth() override
  {
    const std::int64_t bytes = std::min(kBandwidthBytes, info_.memory / 8);
    const ReadBuffer   from(bytes, stream_), to(bytes, stream_);
    const double       read = least_time([&] { from.read(stream_); });
    const double       copy = least_time([&] {
      check_cuda(cudaMemcpyAsync(to.data(), from.data(), std::size_t(bytes), cudaMemcpyDeviceToDevice, stream_), "copy within the device");
    });
    return {double(bytes) / read, 2 * double(bytes) / copy};
  }

  std::unique_ptr<DeviceStopwatch> stopwatch(const ContestSettings &settings, std::int64_t flush_bytes) override
  {
    if (flush_bytes == 0) flush_bytes = std::max(kLeastFlush, 2 * info_.cache_bytes);
    return std::make_unique<CudaStopwatch>(stream_, settings, flush_bytes);
  }

private:
  double least_time(const std::function<void()> &pass)
  {
    EventTimer timer(stream_);
    double     least = std::numeric_limits<double>::infinity();
    pass();
    for (int k = 0; k < kPasses; ++k) least = std::min(least, timer.seconds(pass));
    return least;
  }

  cudaStream_t stream_;
  DeviceInfo   info_;
};

} // namespace

std::string device_problem()
{
  return runtime::device_problem();
}

std::unique_ptr<Device> open_device(void *stream)
{
  return std::make_unique<CudaDevice>(static_cast<cudaStream_t>(stream));
}

} // namespace petscspmv::bench
