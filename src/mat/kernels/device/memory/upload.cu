#include "kernels/device/memory/upload.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <vector>

#include <cuda_runtime.h>

#include "kernels/device/memory/array.cuh"
#include "kernels/device/memory/upload_tuning.hpp"
#include "kernels/device/stream.cuh"
#include "kernels/host/parallel.hpp"

namespace petscspmv::kernels {
namespace {

/// Page-locked memory: two pieces for each of so many threads that copy. It is kept for the next upload, and left to
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
    if (cudaHostAlloc(&p, 2 * tuning::upload_piece * static_cast<std::size_t>(wanted), cudaHostAllocPortable) != cudaSuccess) {
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

/// Says when the device has read a piece of page-locked memory.
class Copied {
public:
  Copied() { check_cuda(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "make an event"); }
  ~Copied() { static_cast<void>(cudaEventDestroy(event_)); }
  Copied(const Copied &)            = delete;
  Copied &operator=(const Copied &) = delete;

  void record() { check_cuda(cudaEventRecord(event_, current_stream()), "record an event"); }
  void wait() const { check_cuda(cudaEventSynchronize(event_), "copy to the device"); } // at once if it was never recorded

private:
  cudaEvent_t event_ = nullptr;
};

/// Fills one of two pieces while the other is on its way, until all are taken.
void copy_pieces(std::byte *to, std::size_t bytes, std::size_t piece, const Make &make, std::byte *locked, std::atomic<std::size_t> &next)
{
  std::array<Copied, 2> copied;
  int                   turn = 0;
  for (std::size_t at; (at = next.fetch_add(piece)) < bytes; turn ^= 1) {
    std::byte *const  p = locked + static_cast<std::size_t>(turn) * piece;
    const std::size_t n = std::min(piece, bytes - at);
    copied[static_cast<std::size_t>(turn)].wait();
    make(at, n, p);
    check_cuda(cudaMemcpyAsync(to + at, p, n, cudaMemcpyHostToDevice, current_stream()), "copy to the device");
    copied[static_cast<std::size_t>(turn)].record();
  }
  for (const Copied &c : copied) c.wait();
}

/// Pieces of so many bytes by so many threads, which fit the page-locked memory of `copying` ones.
void upload_pieces(void *to, std::size_t bytes, int threads, int copying, std::size_t piece, const Make &make)
{
  Stage                &stage = the_stage();
  const std::lock_guard lock(stage.busy);
  if (!stage.grow(copying)) {
    std::vector<std::byte> ordinary(bytes);
    make(0, bytes, ordinary.data());
    check_cuda(cudaMemcpyAsync(to, ordinary.data(), bytes, cudaMemcpyHostToDevice, current_stream()), "copy to the device");
    return;
  }
  const DevicePlace        place;
  std::atomic<std::size_t> next{0};
  try_each_ticket(threads, threads, [&](std::int64_t k) {
    place.take();
    copy_pieces(static_cast<std::byte *>(to), bytes, piece, make, stage.memory + static_cast<std::size_t>(k) * 2 * piece, next);
  });
}

} // namespace

void upload(void *to, const void *from, std::size_t bytes, int threads)
{
  if (threads > 1 && bytes >= tuning::least_upload) {
    const int copying = std::min(threads, tuning::upload_threads);
    return upload_pieces(to, bytes, copying, copying, tuning::upload_piece, [from](std::size_t at, std::size_t n, std::byte *p) {
      std::memcpy(p, static_cast<const std::byte *>(from) + at, n);
    });
  }
  check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, current_stream()), "copy to the device");
  // the driver has read it
}

void upload_made(void *to, std::size_t bytes, int threads, const Make &make)
{
  // Making takes longer than copying: more threads, with smaller pieces of the same memory.
  constexpr int part = 4;
  threads            = std::max(1, threads);
  const int copying  = (std::min(threads, part * tuning::upload_threads) + part - 1) / part;
  upload_pieces(to, bytes, std::min(threads, part * copying), copying, tuning::upload_piece / part, make);
}

} // namespace petscspmv::kernels
