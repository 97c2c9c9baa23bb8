#pragma once

/// \file exchange.hpp
/// Values of vectors that the devices of one host write into each other's memory, without MPI and without the host.
///
/// Each rank has a window in its device's memory, which the ranks that it has to do with open. A sender writes values
/// and then the number of the exchange; who waits for them does so on its device. Values alternate between two halves
/// of the window, and nobody writes a half before all that was in it has been taken.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace petscspmv {

/// Names a device, whatever number it has in a process.
using DeviceName = std::array<std::byte, 16>;

/// Names a window for other processes of the host.
using WindowName = std::array<std::byte, 64>;

/// What a rank sends, or what it receives: entries of a vector, rank by rank.
struct ExchangedEntries {
  std::vector<std::int64_t> first; ///< [ranks + 1] where those of each rank begin
  std::vector<std::int64_t> entry; ///< [first.back()]

  std::int64_t ranks() const { return static_cast<std::int64_t>(first.size()) - 1; }
};

/// A rank that sends or receives, as its own exchange describes itself, and what this rank is to it.
struct ExchangePeer {
  WindowName   window{};
  std::int64_t senders = 0, receivers = 0, received = 0; ///< ranks, ranks, entries
  std::int64_t place = 0;                                ///< this rank's number among those senders, or receivers
  std::int64_t first = 0;                                ///< where what this rank sends begins in what that one receives
};

class PeerExchange {
public:
  virtual ~PeerExchange()            = default;
  virtual WindowName  window() const = 0;
  virtual std::size_t bytes() const  = 0; ///< on the device
  /// Opens the windows of ranks that receive and that send, in the order of what was sent and received. Throws
  /// FormatError.
  virtual void open(const std::vector<ExchangePeer> &receivers, const std::vector<ExchangePeer> &senders) = 0;
  /// Both queue work on runtime::use_stream's stream, and wait for nothing on the host. x and y are in the memory of
  /// the device. All ranks send, and then all receive. Never throw.
  virtual void send(const void *x) = 0;
  virtual void receive(void *y)    = 0;
  /// Waits for the device and closes the windows. When all ranks have done so, the exchange may be destroyed.
  virtual void close() = 0;
};

namespace runtime {

/// The device of the calling thread. Throws FormatError.
DeviceName device_name();

/// On it. `words`: a value has so many times 8 bytes. Throws FormatError.
std::unique_ptr<PeerExchange> make_exchange(int words, const ExchangedEntries &sent, const ExchangedEntries &received);

} // namespace runtime
} // namespace petscspmv
