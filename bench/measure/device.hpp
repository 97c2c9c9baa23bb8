#pragma once

/// \file device.hpp
/// A device that products run on and are timed on, without CUDA in sight. bench/device has the one of CUDA, or none.

#include <memory>
#include <string>

#include "measure/contest.hpp"

namespace petscspmv::bench {

/// Times products by the device's own clock.
class DeviceStopwatch : public Stopwatch {
public:
  /// What stands beside the times of one matrix and regime, timed in the same way.
  virtual DeviceFloor floor(Regime regime, const Size &size) = 0;

  /// Read before each cold product.
  virtual std::int64_t flush_bytes() const = 0;
};

class Device {
public:
  virtual ~Device() = default;

  virtual const DeviceInfo &info() const = 0;

  /// Bytes of its memory that nobody has.
  virtual std::int64_t free_bytes() const = 0;

  /// The best of a few passes over arrays far larger than the cache.
  virtual Bandwidth bandwidth() = 0;

  /// `flush_bytes`: what is read to empty the cache; 0 for the device's own choice. `settings` outlive the stopwatch,
  /// and the entrants it has calibrated do.
  virtual std::unique_ptr<DeviceStopwatch> stopwatch(const ContestSettings &settings, std::int64_t flush_bytes) = 0;
};

/// Why there is none for `--device`, as a sentence with the remedy; empty if there is one.
std::string device_problem();

/// The current device. All products are timed on `stream`, a cudaStream_t, where PETSc's types run, too.
/// Only where device_problem() is empty.
std::unique_ptr<Device> open_device(void *stream);

} // namespace petscspmv::bench
