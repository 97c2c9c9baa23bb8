#pragma once

/// \file cuda_stopwatch.cuh
/// Products timed with CUDA events on one stream.

#include <map>

#include "device/events.hpp"
#include "device/memory_streams.cuh"
#include "measure/device.hpp"

namespace petscspmv::bench {

/// Cold: a buffer is read, then the product runs, both queued before the host looks up; the reading takes longer than
/// the host needs to put a product on the stream, so that the time is the device's alone. The buffer is read and not
/// set (memset), which would leave the cache full of dirty lines that the product would have to write back: 1 to 16 us
/// on an H200.
///
/// Warm: a graph of several products, recorded once, is replayed. What cannot be recorded is launched back to back; the
/// host may then be what limits it, and the record says so.
class CudaStopwatch final : public DeviceStopwatch {
public:
  CudaStopwatch(cudaStream_t stream, const ContestSettings &settings, std::int64_t flush_bytes);

  void         calibrate(Entrant &entrant, Regime regime) override;
  double       sample(Entrant &entrant, Regime regime) override;
  DeviceFloor  floor(Regime regime, const Size &size) override;
  std::int64_t flush_bytes() const override { return flush_.bytes(); }

private:
  using Launch = std::function<void()>;

  /// What a warm sample repeats: the replay of a recording, or a single product.
  struct Round {
    Launch       launch;
    std::int64_t products = 1;
  };
  Round round_of(const Launch &launch, const Recording *recording) const;

  double       host_seconds(const Launch &launch) const;
  double       cold(const Launch &launch);
  double       warm(const Round &round, std::int64_t products);
  std::int64_t products_of_a_sample(const Round &round); ///< a multiple of those in a round
  double       median(Regime regime, const Launch &launch);

  std::optional<Recording> record_products(const Launch &launch) const;

  cudaStream_t                         stream_;
  const ContestSettings               &settings_;
  EventTimer                           timer_;
  ReadBuffer                           flush_;
  std::map<const Entrant *, Recording> recordings_;
};

} // namespace petscspmv::bench
