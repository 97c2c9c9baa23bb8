#include "device/cuda_stopwatch.cuh"

#include <algorithm>
#include <cmath>

namespace petscspmv::bench {

namespace {

/// Products in a graph: enough that the gap between two replays counts little, few enough to be recorded in no time.
constexpr int kRecorded = 16;

__global__ void nothing() { }

std::int64_t product_count(double batch, double one, std::int64_t most)
{
  return std::clamp<std::int64_t>(std::int64_t(std::ceil(batch / std::max(one, 1e-7))), 1, most);
}

} // namespace

CudaStopwatch::CudaStopwatch(cudaStream_t stream, const ContestSettings &settings, std::int64_t flush_bytes)
  : stream_(stream), settings_(settings), timer_(stream), flush_(flush_bytes, stream)
{
}

std::int64_t CudaStopwatch::products_of_a_sample(const Launch &launch, bool recorded)
{
  launch();
  const double one = timer_.seconds(launch);
  if (!recorded) return product_count(settings_.batch, one, settings_.products);
  return kRecorded * product_count(settings_.batch, kRecorded * one, std::max(1, settings_.products / kRecorded));
}

void CudaStopwatch::calibrate(Entrant &e, Regime regime)
{
  e.repeats  = 1;
  e.replayed = false;
  if (regime == Regime::cold) return;
  const Launch launch = [&e] { e.product->launch(); };
  launch(); // whatever is prepared at the first call cannot be recorded
  check_cuda(cudaStreamSynchronize(stream_), "multiply");
  recordings_.erase(&e);
  if (auto recording = record(stream_, [&launch] {
        for (int k = 0; k < kRecorded; ++k) launch();
      })) {
    check_result(e, "of the recorded products", 1, [&] {
      recording->replay(stream_);
      check_cuda(cudaStreamSynchronize(stream_), "replay a product");
    });
    recordings_.emplace(&e, std::move(*recording));
    e.replayed = true;
  }
  e.repeats = products_of_a_sample(launch, e.replayed);
}

double CudaStopwatch::sample(Entrant &e, Regime regime)
{
  const Launch launch = [&e] { e.product->launch(); };
  if (regime == Regime::cold) return cold(launch);
  const auto recording = recordings_.find(&e);
  return warm(launch, recording == recordings_.end() ? nullptr : &recording->second, e.repeats);
}

double CudaStopwatch::cold(const Launch &launch)
{
  flush_.read(stream_);
  return timer_.seconds(launch);
}

double CudaStopwatch::warm(const Launch &launch, const Recording *recording, std::int64_t products)
{
  const auto round = [&] { recording ? recording->replay(stream_) : launch(); };
  const auto count = recording ? products / kRecorded : products;
  round(); // the one before was somebody else's
  return timer_.seconds([&] {
    for (std::int64_t k = 0; k < count; ++k) round();
  }) / double(products);
}

double CudaStopwatch::median(Regime regime, const Launch &launch)
{
  std::optional<Recording> recording;
  launch();
  if (regime == Regime::warm)
    recording = record(stream_, [&launch] {
      for (int k = 0; k < kRecorded; ++k) launch();
    });
  const Recording    *recorded = recording ? &*recording : nullptr;
  const std::int64_t  products = products_of_a_sample(launch, recorded);
  std::vector<double> times;
  for (int k = 0; k < settings_.samples; ++k) times.push_back(regime == Regime::cold ? cold(launch) : warm(launch, recorded, products));
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
