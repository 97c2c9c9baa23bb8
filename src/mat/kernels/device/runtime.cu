#include <map>
#include <mutex>
#include <string>

#include <cuda.h>
#include <cuda_runtime.h>

#include "core/runtime.hpp"
#include "kernels/device/memory/array.cuh"
#include "kernels/device/stream.cuh"

namespace petscspmv {
namespace {

thread_local cudaStream_t chosen_stream = nullptr;

// The lowest compute capability that this build has code for: 90 for 9.0.
constexpr int lowest_capability()
{
  constexpr int list[] = {__CUDA_ARCH_LIST__};
  return list[0] / 10;
}

std::string no_device(cudaError_t error)
{
  static_cast<void>(cudaGetLastError());
  return std::string("CUDA finds no device that can be used (") + cudaGetErrorString(error) +
         "); products with host vectors run on the host.";
}

std::string problem_of(int device)
{
  int         major = 0, minor = 0;
  cudaError_t error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
  if (error != cudaSuccess) return no_device(error);
  if (10 * major + minor >= lowest_capability()) return {};
  return "The device has compute capability " + std::to_string(major) + "." + std::to_string(minor) +
         ", but this petscspmv has device code for " + std::to_string(lowest_capability() / 10) + "." +
         std::to_string(lowest_capability() % 10) +
         " and later; build it with PETSCSPMV_CUDA_ARCH set to the device's, or use host vectors.";
}

} // namespace

std::string runtime::device_problem()
{
  int               count = 0, device = 0;
  static const auto found = cudaGetDeviceCount(&count);
  if (found != cudaSuccess) return no_device(found);
  if (const cudaError_t error = cudaGetDevice(&device); error != cudaSuccess) return no_device(error);
  static auto          &problems = *new std::map<int, std::string>;
  static std::mutex     looking;
  const std::lock_guard lock(looking);
  const auto            known = problems.find(device);
  return known != problems.end() ? known->second : problems.emplace(device, problem_of(device)).first->second;
}

bool runtime::has_device()
{
  return device_problem().empty();
}

void runtime::use_stream(void *stream)
{
  chosen_stream = static_cast<cudaStream_t>(stream);
}

bool runtime::is_recording()
{
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(chosen_stream, &status) != cudaSuccess || status != cudaStreamCaptureStatusNone;
}

bool runtime::is_on_device(const void *p)
{
  return kernels::is_on_device(p);
}

void runtime::bring_to_host(const void *from, std::size_t bytes, void *to)
{
  kernels::check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, chosen_stream), "copy to the host");
  kernels::check_cuda(cudaStreamSynchronize(chosen_stream), "copy to the host");
}

int kernels::current_device()
{
  int device = 0;
  static_cast<void>(cudaGetDevice(&device));
  return device;
}

cudaStream_t kernels::current_stream()
{
  return chosen_stream;
}

void kernels::DevicePlace::take() const
{
  check_cuda(cudaSetDevice(device_), "choose the device");
  chosen_stream = stream_;
}

} // namespace petscspmv

// Kokkos calls three functions of the driver by name, and a library that does cannot be loaded where there is no
// driver. These find the driver's own at the first call. They are not seen outside of this library.
namespace {

template <class... P> CUresult call_driver(const char *name, P... arguments)
{
  void                           *function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  if (cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found) != cudaSuccess || !function)
    return CUDA_ERROR_NOT_INITIALIZED;
  return reinterpret_cast<CUresult(CUDAAPI *)(P...)>(function)(arguments...);
}

} // namespace

extern "C" CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
  return call_driver("cuStreamGetCtx", stream, context);
}
extern "C" CUresult cuCtxPushCurrent(CUcontext context)
{
  return call_driver("cuCtxPushCurrent", context);
}
extern "C" CUresult cuCtxGetDevice(CUdevice *device)
{
  return call_driver("cuCtxGetDevice", device);
}
