#include "kernels/device/order.hpp"

#include <cuda_runtime.h>

#include "core/runtime.hpp"
#include "kernels/device/memory/array.cuh"
#include "kernels/device/stream.cuh"

namespace petscspmv::kernels {
namespace {

/// The default stream is 0. Others are told apart by CUDA's number: a new stream may have the address of one that is
/// gone, whose work goes on.
unsigned long long current_number()
{
  unsigned long long number = 0;
  if (!current_stream()) return number;
  static_cast<void>(cudaStreamGetId(current_stream(), &number));
  return number + 1;
}

} // namespace

// What goes wrong below stays CUDA's last error, as that of a launch does.

StreamOrder::~StreamOrder()
{
  if (event_) static_cast<void>(cudaEventDestroy(static_cast<cudaEvent_t>(event_)));
}

/// On the stream of the last work, which is the current one or the default one.
void StreamOrder::record()
{
  if (!event_) {
    cudaEvent_t event = nullptr;
    static_cast<void>(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    event_ = event;
  }
  static_cast<void>(cudaEventRecord(static_cast<cudaEvent_t>(event_), last_ == 0 ? nullptr : current_stream()));
  recorded_ = true;
}

void StreamOrder::wait_for_last()
{
  if (!recorded_) record();
  static_cast<void>(cudaStreamWaitEvent(current_stream(), static_cast<cudaEvent_t>(event_)));
}

StreamTurn::StreamTurn(StreamOrder &order, DeviceWork work) : order_(order)
{
  if (current_stream() && runtime::is_recording()) return; // the default stream cannot be
  stream_          = current_number();
  leaves_          = work != DeviceWork::reads;
  const bool moved = order.used_ && stream_ != order.last_;
  order.several_ |= moved;
  if (work != DeviceWork::changes) {
    if (moved) order.wait_for_last();
  } else if (order.several_) { // there is no event behind products that only read
    check_cuda(cudaDeviceSynchronize(), "wait for products");
    order.several_ = false;
  }
}

StreamTurn::~StreamTurn()
{
  if (!leaves_) return;
  order_.used_     = true;
  order_.last_     = stream_;
  order_.recorded_ = false;
  if (stream_ != 0) order_.record();
}

} // namespace petscspmv::kernels
