#include "select/model.hpp"

#include <algorithm>

#include "select/model_tuning.hpp"

namespace petscspmv::select {

namespace {

const tuning::Cost &cost_of(std::string_view type)
{
  for (const auto &[name, cost] : tuning::costs)
    if (name == type) return cost;
  return tuning::plain;
}

/// Nanoseconds of the bytes that are read, wherever they come from.
double traffic(const tuning::Cost &cost, double bytes, double bandwidth)
{
  if (bytes <= tuning::second_cache) return 0;
  if (bytes <= tuning::last_cache) return bytes * cost.cached;
  return bytes * cost.memory * (bandwidth > 0 ? tuning::bandwidth / bandwidth : 1);
}

double on_host(const tuning::Cost &cost, const Forecast &forecast, const Structure &s, double bandwidth)
{
  const double uneven = s.rows * s.uneven * (s.nonzeros > tuning::learned_entries ? 1 : tuning::learned_share);
  const double misses = std::min(s.nonzeros * s.near_misses, forecast.lines);
  const double work   = s.nonzeros * cost.entry + misses * cost.miss + s.rows * cost.row + uneven * cost.uneven;
  return tuning::call + work + forecast.nanoseconds * cost.own + traffic(cost, double(forecast.bytes) + s.vector_bytes, bandwidth);
}

/// Seconds. Lines that no cache holds are fetched whole for one entry.
double on_device(std::string_view type, const Forecast &forecast, const Structure &s, double bandwidth)
{
  const double share = type == "bccoo" ? tuning::device_blocked : cost_of(type).own > 0 ? tuning::device_coded : tuning::device_plain;
  const double bytes = double(forecast.bytes) / share + s.vector_bytes + s.nonzeros * s.far_misses * tuning::device_line;
  return tuning::device_launch + bytes / (bandwidth > 0 ? bandwidth : tuning::device_bandwidth);
}

} // namespace

double predicted_seconds(std::string_view type, const Forecast &forecast, const Structure &s, MemorySpace space, double bandwidth)
{
  if (space == MemorySpace::device) return on_device(type, forecast, s, bandwidth);
  return 1e-9 * on_host(cost_of(type), forecast, s, bandwidth);
}

UpkeepSeconds predicted_upkeep(std::string_view type, double nonzeros, const Execution &execution)
{
  const tuning::Cost &cost    = cost_of(type);
  const bool          device  = execution.space == MemorySpace::device;
  const double        workers = 1 + tuning::build_share * (execution.threads - 1);
  const double        upload  = device ? tuning::device_upload : 0;
  const double        build   = device ? cost.device_build : cost.build;
  return {1e-9 * nonzeros * (build / workers + upload), 1e-9 * nonzeros * (cost.refresh + upload)};
}

double least_device_seconds(double bytes)
{
  return tuning::device_launch + bytes / tuning::device_bandwidth;
}

double predicted_look_seconds(std::int64_t nonzeros, std::int64_t rows)
{
  const std::int64_t several = tuning::least_window_rows * nonzeros / std::max<std::int64_t>(rows, 1);
  return 1e-9 * tuning::look * double(std::min(nonzeros, std::max(2 * entries_to_look_at(nonzeros), several)));
}

std::int64_t entries_to_look_at(std::int64_t nonzeros)
{
  return std::clamp(nonzeros / tuning::looked_at_share, tuning::least_looked_at, tuning::most_looked_at);
}

} // namespace petscspmv::select
