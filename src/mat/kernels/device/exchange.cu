#include "core/exchange.hpp"

#include <algorithm>
#include <cstring>

#include <cuda/atomic>
#include <cuda_runtime.h>

#include "core/runtime.hpp"
#include "kernels/device/launch.cuh"
#include "kernels/device/memory/array.cuh"
#include "kernels/device/order.hpp"

namespace petscspmv {
namespace kernels {
namespace {

using Word = unsigned long long;

/// Numbers that several devices look at are a cache line from each other.
constexpr std::int64_t line = 16;

/// Of this rank's exchanges: how many are over, and how many blocks of a kernel are done.
struct State {
  Word     over;
  unsigned sent, received;
};

/// Of a sender's kernel. A window holds, in words: for each sender the number of the exchange that it has sent, for
/// each receiver that of the one that it has taken, and both halves of the values.
struct Sending {
  std::int64_t        entries;
  int                 ranks;
  const std::int64_t *entry;          ///< [entries] of x
  const int          *rank;           ///< [entries] to whom
  const Word         *taken;          ///< [ranks lines] in this rank's window
  Word *const *values, *const *ready; ///< [ranks] in their windows; values: where entry 0 would be
  const std::int64_t *half;           ///< [ranks] words
  State              *state;
};

/// Of a receiver's.
struct Receiving {
  std::int64_t        entries;
  int                 ranks;
  const std::int64_t *entry;          ///< [entries] of y
  const Word         *ready, *values; ///< [ranks lines], [2 entries values] in this rank's window
  Word *const        *taken;          ///< [ranks] in their windows
  State              *state;
};

using Shared = cuda::atomic_ref<Word, cuda::thread_scope_system>;

/// Until all these numbers are `least` or more. What was written before them can be read by the block then.
__device__ void await(const Word *numbers, int ranks, Word least)
{
  if (static_cast<int>(threadIdx.x) < ranks)
    while (Shared(const_cast<Word &>(numbers[threadIdx.x * line])).load(cuda::memory_order_acquire) < least) { }
  __syncthreads();
}

/// Tells all ranks this number when all blocks have come here. True for the last of them.
__device__ bool tell(Word *const *numbers, int ranks, Word number, unsigned *done)
{
  __shared__ bool is_last;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(done, 1U) + 1 == gridDim.x;
  __syncthreads();
  if (!is_last) return false;
  __threadfence_system();
  if (static_cast<int>(threadIdx.x) < ranks) Shared(*numbers[threadIdx.x]).store(number, cuda::memory_order_release);
  if (threadIdx.x == 0) *done = 0;
  return true;
}

template <int words> __global__ void send_values(Sending s, const Word *x)
{
  const Word number = s.state->over + 1;
  await(s.taken, s.ranks, number > 2 ? number - 2 : 0);
  const auto step = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < s.entries * words; i += step) {
    const std::int64_t e                                        = i / words;
    const int          rank                                     = s.rank[e];
    s.values[rank][std::int64_t(number % 2) * s.half[rank] + i] = x[s.entry[e] * words + i % words];
  }
  tell(s.ready, s.ranks, number, &s.state->sent);
}

template <int words> __global__ void receive_values(Receiving r, Word *y)
{
  const Word number = r.state->over + 1;
  await(r.ready, r.ranks, number);
  const Word *const values = r.values + std::int64_t(number % 2) * r.entries * words;
  const auto        step   = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < r.entries * words; i += step)
    y[r.entry[i / words] * words + i % words] = __ldcg(values + i);
  if (tell(r.taken, r.ranks, number, &r.state->received) && threadIdx.x == 0) r.state->over = number;
}

template <class T> DeviceArray<T> on_device(const std::vector<T> &values)
{
  DeviceArray<T> array(values.size());
  array.upload(values.data());
  return array;
}

template <int words> class CudaExchange final : public PeerExchange {
  /// CUDA shares memory by whole blocks of 2 MiB. Of one that an MPI shares parts of, too, windows could not be opened.
  static constexpr std::int64_t block = (2 << 20) / sizeof(Word);

public:
  CudaExchange(const ExchangedEntries &sent, const ExchangedEntries &received)
    : sent_(sent), received_(received), sent_entry_(on_device(sent.entry)), received_entry_(on_device(received.entry)),
      window_(std::max(block, (sent.ranks() + received.ranks()) * line + 2 * received.first.back() * words)), state_(1)
  {
    std::vector<int> rank;
    for (std::int64_t r = 0; r < sent.ranks(); ++r) rank.resize(static_cast<std::size_t>(sent.first[r + 1]), static_cast<int>(r));
    sent_rank_ = on_device(rank);
    window_.clear();
    state_.clear();
    check_cuda(cudaStreamSynchronize(current_stream()), "clear memory"); // others write there as soon as they know of it
  }
  ~CudaExchange() override { close(); }

  WindowName window() const override
  {
    WindowName         name;
    cudaIpcMemHandle_t handle;
    static_assert(sizeof handle <= sizeof name);
    check_cuda(cudaIpcGetMemHandle(&handle, window_.data()), "share memory with other processes");
    std::memcpy(name.data(), &handle, sizeof handle);
    return name;
  }

  std::size_t bytes() const override { return window_.bytes() + sent_entry_.bytes() + sent_rank_.bytes() + received_entry_.bytes(); }

  void open(const std::vector<ExchangePeer> &receivers, const std::vector<ExchangePeer> &senders) override
  {
    std::vector<Word *>       values, ready, taken;
    std::vector<std::int64_t> half;
    for (std::size_t r = 0; r < receivers.size(); ++r) {
      const ExchangePeer &peer = receivers[r];
      Word *const         its  = open(peer.window);
      ready.push_back(its + peer.place * line);
      values.push_back(its + (peer.senders + peer.receivers) * line + (peer.first - sent_.first[r]) * words);
      half.push_back(peer.received * words);
    }
    for (const ExchangePeer &peer : senders) taken.push_back(open(peer.window) + (peer.senders + peer.place) * line);
    values_ = on_device(values);
    ready_  = on_device(ready);
    taken_  = on_device(taken);
    half_   = on_device(half);
  }

  void send(const void *x) override
  {
    if (sent_.ranks() == 0) return;
    const StreamTurn turn(order_, DeviceWork::writes);
    launch(send_values<words>, shape(sent_.first.back()),
           Sending{sent_.first.back(), static_cast<int>(sent_.ranks()), sent_entry_.data(), sent_rank_.data(),
                   window_.data() + received_.ranks() * line, values_.data(), ready_.data(), half_.data(), state_.data()},
           static_cast<const Word *>(x));
  }

  void receive(void *y) override
  {
    if (sent_.ranks() + received_.ranks() == 0) return;
    const StreamTurn turn(order_, DeviceWork::writes);
    const Word      *values = window_.data() + (sent_.ranks() + received_.ranks()) * line;
    launch(receive_values<words>, shape(received_.first.back()),
           Receiving{received_.first.back(), static_cast<int>(received_.ranks()), received_entry_.data(), window_.data(), values,
                     taken_.data(), state_.data()},
           static_cast<Word *>(y));
  }

  void close() override
  {
    if (opened_.empty()) return;
    static_cast<void>(cudaDeviceSynchronize());
    for (void *p : opened_) static_cast<void>(cudaIpcCloseMemHandle(p));
    opened_.clear();
  }

private:
  Word *open(const WindowName &window)
  {
    cudaIpcMemHandle_t handle;
    void              *p = nullptr;
    std::memcpy(&handle, window.data(), sizeof handle);
    check_cuda(cudaIpcOpenMemHandle(&p, handle, cudaIpcMemLazyEnablePeerAccess), "open the memory of another process");
    opened_.push_back(p);
    return static_cast<Word *>(p);
  }

  /// Blocks that wait take nobody's place: the rest of a device has room for the kernels before them.
  static LaunchShape shape(std::int64_t entries)
  {
    constexpr std::int64_t threads = 256, most_blocks = 64;
    return {static_cast<unsigned>(std::clamp<std::int64_t>((entries * words + threads - 1) / threads, 1, most_blocks)), threads};
  }

  ExchangedEntries          sent_, received_;
  DeviceArray<std::int64_t> sent_entry_, received_entry_, half_;
  DeviceArray<int>          sent_rank_;
  DeviceArray<Word>         window_;
  DeviceArray<State>        state_;
  DeviceArray<Word *>       values_, ready_, taken_;
  std::vector<void *>       opened_;
  StreamOrder               order_;
};

} // namespace
} // namespace kernels

DeviceName runtime::device_name()
{
  cudaDeviceProp properties;
  DeviceName     name;
  static_assert(sizeof properties.uuid == sizeof name);
  kernels::check_cuda(cudaGetDeviceProperties(&properties, kernels::current_device()), "look up the device");
  std::memcpy(name.data(), &properties.uuid, sizeof name);
  return name;
}

std::unique_ptr<PeerExchange> runtime::make_exchange(int words, const ExchangedEntries &sent, const ExchangedEntries &received)
{
  if (words == 1) return std::make_unique<kernels::CudaExchange<1>>(sent, received);
  return std::make_unique<kernels::CudaExchange<2>>(sent, received);
}

} // namespace petscspmv
