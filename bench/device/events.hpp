#pragma once

/// \file events.hpp
/// The device's own clock, and recorded work.

#include <functional>
#include <optional>
#include <utility>

#include <cuda_runtime.h>

namespace petscspmv::bench {

/// Throws std::runtime_error that says what could not be done, and why.
void check_cuda(cudaError_t error, const char *what);

/// Seconds of device time between the beginning and the end of what `work` puts on the stream, which is waited for.
///
/// Where the stream is still busy with something before, the host's part of the work is hidden behind that.
class EventTimer {
public:
  explicit EventTimer(cudaStream_t stream);
  ~EventTimer();
  EventTimer(const EventTimer &)            = delete;
  EventTimer &operator=(const EventTimer &) = delete;

  double seconds(const std::function<void()> &work);

private:
  cudaStream_t stream_;
  cudaEvent_t  begin_ = nullptr, end_ = nullptr;
};

/// A CUDA graph of work that was recorded once and is replayed at will.
class Recording {
public:
  Recording(Recording &&other) noexcept : executable_(std::exchange(other.executable_, nullptr)) { }
  Recording &operator=(Recording &&other) noexcept
  {
    std::swap(executable_, other.executable_);
    return *this;
  }
  ~Recording();

  void replay(cudaStream_t stream) const;

private:
  explicit Recording(cudaGraphExec_t executable) : executable_(executable) { }
  friend std::optional<Recording> record(cudaStream_t stream, const std::function<void()> &work);

  cudaGraphExec_t executable_ = nullptr;
};

/// Records what `work` puts on the stream. None if it cannot be recorded: it waits, allocates, uses other streams, or
/// the stream is CUDA's default one.
std::optional<Recording> record(cudaStream_t stream, const std::function<void()> &work);

} // namespace petscspmv::bench
