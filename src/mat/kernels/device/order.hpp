#pragma once

/// \file order.hpp
/// One matrix on several streams of a device: what of its work waits for what.
///
/// On one stream, work is done in the order in which it is queued. On another one it waits on the device, never on the
/// host, for an event of the matrix. That is recorded behind the work that others have to wait for, and at once: when
/// somebody waits, the stream may be gone. Only CUDA's default stream is always there. Its events are recorded when
/// they are asked for, so that programs which stay on it, as most do, never record one.

namespace petscspmv::kernels {

/// What work does with the memory of a matrix.
enum class DeviceWork {
  reads,   ///< a product that writes nothing but y: such products run side by side
  writes,  ///< a product that writes what others write, too, or something that is made for those to come
  changes, ///< what products read, which none of them may be reading
};

/// The order of the work for one matrix, on one device. Used by one thread of the host at a time.
class StreamOrder {
public:
  StreamOrder() = default;
  ~StreamOrder(); // NOLINT(performance-trivially-destructible): not with CUDA
  StreamOrder(const StreamOrder &)            = delete;
  StreamOrder &operator=(const StreamOrder &) = delete;

private:
  friend class StreamTurn;
  using Number = unsigned long long;

  void wait_for_last();
  void record();

  bool   used_     = false;
  Number last_     = 0;       ///< the stream of the last work that was more than to read
  bool   several_  = false;   ///< there has been work on more than one stream since the last change
  bool   recorded_ = false;   ///< behind that work
  void  *event_    = nullptr; ///< a cudaEvent_t; none until it is needed
};

/// Work is queued on the current stream as long as this lives. Does nothing while that stream is recorded into a graph,
/// whose order is the program's.
class StreamTurn {
public:
  /// Before a change, the host waits for work on other streams. Throws FormatError if it cannot.
  StreamTurn(StreamOrder &order, DeviceWork work);
  ~StreamTurn(); // NOLINT(performance-trivially-destructible): not with CUDA
  StreamTurn(const StreamTurn &)            = delete;
  StreamTurn &operator=(const StreamTurn &) = delete;

private:
  StreamOrder        &order_;
  StreamOrder::Number stream_ = 0;
  bool                leaves_ = false; ///< something that others have to wait for
};

} // namespace petscspmv::kernels
