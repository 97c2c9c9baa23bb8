#include "device/cuda_stopwatch.cuh"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace petscspmv::bench {

namespace {

/// Products in a graph: enough that the gap between two replays counts little, few enough to be recorded in no time.
constexpr int kRecorded = 16;

/// Launches that the host's time is the mean of: few enough to fit into the device's queue, or the host would wait
/// there.
constexpr int kLaunches = 100;

/// Medians of what stands beside the times need no more samples than this.
constexpr int kFloorSamples = 31;

__global__ void nothing() { }

} // namespace

CudaStopwatch::CudaStopwatch(cudaStream_t stream, const ContestSettings &settings, std::int64_t flush_bytes)
  : stream_(stream), settings_(settings), timer_(stream), flush_(flush_bytes, stream)
{
}

double CudaStopwatch::host_seconds(const Launch &launch) const
{
  using Clock = std::chrono::steady_clock;
  launch();
  check_cuda(cudaStreamSynchronize(stream_), "multiply");
  const auto begin = Clock::now();
  for (int k = 0; k < kLaunches; ++k) launch();
  const auto end = Clock::now();
  check_cuda(cudaStreamSynchronize(stream_), "multiply");
  return std::chrono::duration<double>(end - begin).count() / kLaunches;
}

std::optional<Recording> CudaStopwatch::record_products(const Launch &launch) const
{
  launch(); // whatever is prepared at the first call cannot be recorded
  check_cuda(cudaStreamSynchronize(stream_), "multiply");
  return record(stream_, [&launch] {
    for (int k = 0; k < kRecorded; ++k) launch();
  });
}

CudaStopwatch::Round CudaStopwatch::round_of(const Launch &launch, const Recording *recording) const
{
  if (!recording) return {launch, 1};
  return {[this, recording] { recording->replay(stream_); }, kRecorded};
}

std::int64_t CudaStopwatch::products_of_a_sample(const Round &round)
{
  round.launch();
  const double       one  = std::max(timer_.seconds(round.launch), 1e-7);
  const std::int64_t most = std::max<std::int64_t>(1, settings_.products / round.products);
  return round.products * std::clamp<std::int64_t>(std::int64_t(std::ceil(settings_.batch / one)), 1, most);
}

void CudaStopwatch::calibrate(Entrant &e, Regime regime)
{
  const Launch launch = [&e] { e.product->launch(); };
  e.repeats           = 1;
  e.replayed          = false;
  e.launch            = host_seconds(launch);
  if (regime == Regime::cold) return;
  recordings_.erase(&e);
  const Recording *recording = nullptr;
  if (auto recorded = record_products(launch)) {
    recording  = &recordings_.emplace(&e, std::move(*recorded)).first->second;
    e.replayed = true;
    check_result(e, "of the recorded products", 1, [&] {
      recording->replay(stream_);
      check_cuda(cudaStreamSynchronize(stream_), "replay a product");
    });
  }
  e.repeats = products_of_a_sample(round_of(launch, recording));
}

double CudaStopwatch::sample(Entrant &e, Regime regime)
{
  const Launch launch = [&e] { e.product->launch(); };
  if (regime == Regime::cold) return cold(launch);
  const auto recording = recordings_.find(&e);
  return warm(round_of(launch, recording == recordings_.end() ? nullptr : &recording->second), e.repeats);
}

double CudaStopwatch::cold(const Launch &launch)
{
  flush_.read(stream_);
  return timer_.seconds(launch);
}

double CudaStopwatch::warm(const Round &round, std::int64_t products)
{
  round.launch(); // the one before was somebody else's
  return timer_.seconds([&] {
    for (std::int64_t k = 0; k < products; k += round.products) round.launch();
  }) / double(products);
}

double CudaStopwatch::median(Regime regime, const Launch &launch)
{
  const auto          recording = record_products(launch);
  const Round         round     = round_of(launch, recording ? &*recording : nullptr);
  const std::int64_t  products  = products_of_a_sample(round);
  std::vector<double> times;
  for (int k = 0; k < kFloorSamples; ++k) times.push_back(regime == Regime::cold ? cold(launch) : warm(round, products));
  return quantiles_of(times).median;
}

DeviceFloor CudaStopwatch::floor(Regime regime, const Size &size)
{
  const std::size_t                  half = std::size_t(std::max<std::int64_t>(1, vector_bytes(size) / 2 / std::int64_t(sizeof(double))));
  const kernels::DeviceArray<double> from(half), to(half);
  check_cuda(cudaMemsetAsync(from.data(), 0, from.bytes(), stream_), "clear memory");
  const double empty = median(regime, [this] { nothing<<<1, 32, 0, stream_>>>(); });
  const double copy  = median(regime, [&] {
    check_cuda(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, stream_), "copy within the device");
  });
  check_cuda(cudaGetLastError(), "run an empty kernel");
  return {empty, copy};
}

} // namespace petscspmv::bench
