#include "device/events.hpp"

#include <stdexcept>
#include <string>

namespace petscspmv::bench {

void check_cuda(cudaError_t error, const char *what)
{
  if (error == cudaSuccess) return;
  static_cast<void>(cudaGetLastError()); // an error that was reported must not be met again by somebody else
  throw std::runtime_error(std::string("CUDA could not ") + what + ": " + cudaGetErrorString(error));
}

EventTimer::EventTimer(cudaStream_t stream) : stream_(stream)
{
  check_cuda(cudaEventCreate(&begin_), "create an event");
  check_cuda(cudaEventCreate(&end_), "create an event");
}

EventTimer::~EventTimer()
{
  static_cast<void>(cudaEventDestroy(begin_));
  static_cast<void>(cudaEventDestroy(end_));
}

double EventTimer::seconds(const std::function<void()> &work)
{
  float milliseconds = 0;
  check_cuda(cudaEventRecord(begin_, stream_), "record an event");
  work();
  check_cuda(cudaEventRecord(end_, stream_), "record an event");
  check_cuda(cudaEventSynchronize(end_), "run what is timed");
  check_cuda(cudaEventElapsedTime(&milliseconds, begin_, end_), "tell the time between two events");
  return 1e-3 * double(milliseconds);
}

Recording::~Recording()
{
  if (executable_) static_cast<void>(cudaGraphExecDestroy(executable_));
}

void Recording::replay(cudaStream_t stream) const
{
  check_cuda(cudaGraphLaunch(executable_, stream), "replay a graph");
}

std::optional<Recording> record(cudaStream_t stream, const std::function<void()> &work)
{
  if (!stream) return std::nullopt;
  cudaGraph_t     graph      = nullptr;
  cudaGraphExec_t executable = nullptr;
  bool            recorded   = true;
  check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin to record a graph");
  try {
    work();
  } catch (const std::exception &) {
    recorded = false; // what was recorded so far is thrown away below
  }
  const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
  if (ended == cudaSuccess && recorded) recorded = cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess;
  if (graph) static_cast<void>(cudaGraphDestroy(graph));
  static_cast<void>(cudaGetLastError());
  return executable && recorded ? std::optional(Recording(executable)) : std::nullopt;
}

} // namespace petscspmv::bench
