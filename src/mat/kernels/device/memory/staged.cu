#include "kernels/device/memory/staged.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>

#include <cuda_runtime.h>

#include "kernels/device/memory/array.cuh"
#include "kernels/device/stream.cuh"
#include "kernels/host/parallel.hpp"

namespace petscspmv::kernels {
namespace tuning {

// Threads that copy at most, and page-locked bytes that each of them fills while as many are on their way. 512 MiB to
// an H200, 16 cores: the driver alone 61 to 73 ms; 1, 2, 4, 8 and 16 threads with 512 KiB 59, 33, 24, 16, 15 ms, with 1
// MiB 53, 30, 16, 12.0, 11.8, with 4 MiB 59, 33, 16, 11.0, 11.0; from memory that is page-locked already 9.7. To lock a
// MiB takes 0.4 ms, once a process.
inline constexpr int         copying_threads = 8;
inline constexpr std::size_t piece_bytes     = std::size_t(1) << 20;
// Arrays from this size on are copied so: four pieces, which take the driver about 0.5 ms.
inline constexpr std::size_t least_bytes = 4 * piece_bytes;

} // namespace tuning

namespace {

/// Page-locked memory: two pieces for each of so many threads that copy. It is kept for the next copy, and left to
/// the end of the process, because CUDA may be gone before static objects are.
struct Stage {
  std::mutex busy;
  std::byte *memory  = nullptr;
  int        threads = 0;

  /// Makes room for so many threads; false if there is none.
  bool grow(int wanted)
  {
    if (threads >= wanted) return true;
    if (memory) static_cast<void>(cudaFreeHost(memory));
    threads = 0;
    memory  = nullptr;
    void *p = nullptr;
    if (cudaHostAlloc(&p, 2 * tuning::piece_bytes * static_cast<std::size_t>(wanted), cudaHostAllocPortable) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      return false;
    }
    memory  = static_cast<std::byte *>(p);
    threads = wanted;
    return true;
  }
};

Stage &the_stage()
{
  static Stage *const stage = new Stage;
  return *stage;
}

/// Says when the device has read or written a piece of page-locked memory.
class Copied {
public:
  Copied() { check_cuda(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "make an event"); }
  ~Copied() { static_cast<void>(cudaEventDestroy(event_)); }
  Copied(const Copied &)            = delete;
  Copied &operator=(const Copied &) = delete;

  void record() { check_cuda(cudaEventRecord(event_, current_stream()), "record an event"); }
  void wait() const { check_cuda(cudaEventSynchronize(event_), "copy to or from the device"); } // at once if it was never recorded

private:
  cudaEvent_t event_ = nullptr;
};

/// What threads copy together, piece by piece.
struct Pieces {
  std::byte               *to;
  const std::byte         *from;
  std::size_t              bytes;
  std::atomic<std::size_t> next{0};

  /// Where the next piece begins that nobody has taken; not below `bytes` if there is none.
  std::size_t take() { return next.fetch_add(tuning::piece_bytes); }
  std::size_t size(std::size_t at) const { return std::min(tuning::piece_bytes, bytes - at); }
};

/// Fills one of two pieces of page-locked memory while the other is on its way, until all are taken.
void send(Pieces &pieces, std::byte *locked)
{
  const auto &[to, from, bytes, next] = pieces;
  std::array<Copied, 2> copied;
  std::size_t           turn = 0;
  for (std::size_t at; (at = pieces.take()) < bytes; turn ^= 1) {
    std::byte *const  p = locked + turn * tuning::piece_bytes;
    const std::size_t n = pieces.size(at);
    copied[turn].wait();
    std::memcpy(p, from + at, n);
    check_cuda(cudaMemcpyAsync(to + at, p, n, cudaMemcpyHostToDevice, current_stream()), "copy to the device");
    copied[turn].record();
  }
  for (const Copied &c : copied) c.wait();
}

/// Empties one of two pieces of page-locked memory while the other is on its way.
void fetch(Pieces &pieces, std::byte *locked)
{
  const auto &[to, from, bytes, next] = pieces;
  std::array<Copied, 2>      copied;
  std::array<std::size_t, 2> at{bytes, bytes}; // what each is to bring, if anything
  for (std::size_t turn = 0, idle = 0; idle < 2; turn ^= 1) {
    std::byte *const p = locked + turn * tuning::piece_bytes;
    if (at[turn] < bytes) {
      copied[turn].wait();
      std::memcpy(to + at[turn], p, pieces.size(at[turn]));
    }
    at[turn] = pieces.take();
    idle     = at[turn] < bytes ? 0 : idle + 1;
    if (idle) continue;
    check_cuda(cudaMemcpyAsync(p, from + at[turn], pieces.size(at[turn]), cudaMemcpyDeviceToHost, current_stream()),
               "copy from the device");
    copied[turn].record();
  }
}

/// By several threads, each of which calls copy(pieces, its page-locked memory). False if it is not worth it, or there
/// is no such memory.
template <class Copy> bool copy_by_threads(void *to, const void *from, std::size_t bytes, int threads, const Copy &copy)
{
  threads = std::min(threads, tuning::copying_threads);
  if (threads < 2 || bytes < tuning::least_bytes) return false;
  Stage                &stage = the_stage();
  const std::lock_guard lock(stage.busy);
  if (!stage.grow(threads)) return false;
  const DevicePlace place;
  Pieces            pieces{static_cast<std::byte *>(to), static_cast<const std::byte *>(from), bytes};
  try_each_ticket(threads, threads, [&](std::int64_t k) {
    place.take();
    copy(pieces, stage.memory + static_cast<std::size_t>(k) * 2 * tuning::piece_bytes);
  });
  return true;
}

} // namespace

void upload(void *to, const void *from, std::size_t bytes, int threads)
{
  if (copy_by_threads(to, from, bytes, threads, send)) return;
  // The driver has read all when this returns.
  check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, current_stream()), "copy to the device");
}

void download(void *to, const void *from, std::size_t bytes, int threads)
{
  if (copy_by_threads(to, from, bytes, threads, fetch)) return;
  check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, current_stream()), "copy from the device");
  check_cuda(cudaStreamSynchronize(current_stream()), "copy from the device");
}

} // namespace petscspmv::kernels
