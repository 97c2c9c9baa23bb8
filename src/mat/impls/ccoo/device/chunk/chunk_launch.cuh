#pragma once

/// \file chunk_launch.cuh
/// Units and chunks, which share kernels: y = alpha op(A) x + beta y in one launch, or in two or three with hot columns
/// or long rows that are cut.

#include "impls/ccoo/device/chunk/chunk_fill.cuh"
#include "impls/ccoo/device/chunk/hot.cuh"
#include "impls/ccoo/device/chunk/hot_columns.cuh"
#include "impls/ccoo/device/chunk/chunk_kernel.cuh"
#include "impls/ccoo/device/unit/unit_kernel.cuh"
#include "kernels/device/residency.cuh"
#include "kernels/device/share.cuh"
#include "kernels/device/shared_memory.cuh"

namespace petscspmv::ccoo::device {

/// What a matrix asks of the kernel.
enum class Work {
  units_by_slot, ///< units whose slots have one value each
  units,         ///< units
  rounded_units, ///< units whose own values are floats
  few_chunks,    ///< and chunks of any coding, of which those that come last add the parts of cut rows
  chunks,        ///< and chunks of any coding
  raw_chunks,    ///< and chunks whose values are not coded
};
template <Work work> inline constexpr bool has_chunks = work >= Work::few_chunks;

/// How many warps a block of threads has, and how many such blocks a multiprocessor shall hold; registers are kept so
/// few that they fit.
template <Work work, class S> struct BlockShape {
  static constexpr unsigned warps     = has_chunks<work> ? tuning::device_chunk_warps : tuning::device_unit_warps;
  static constexpr unsigned at_all    = has_chunks<work>              ? tuning::device_chunk_warps_at_a_time
                                        : work == Work::units_by_slot ? tuning::device_by_slot_warps_at_a_time
                                                                      : tuning::device_unit_warps_at_a_time;
  static constexpr unsigned at_a_time = at_all / warps / (sizeof(S) / sizeof(double));
};

/// A warp for each chunk, and one for each unit; those of chunks, which take longer, begin first.
template <Work work, class S>
__global__ void __launch_bounds__(BlockShape<work, S>::warps *image::lanes, BlockShape<work, S>::at_a_time)
  multiply_kernel(const __grid_constant__ Product<S> p)
{
  constexpr unsigned warps = BlockShape<work, S>::warps;
  const BesideOthers others;
  const unsigned     warp  = threadIdx.x / image::lanes;
  unsigned           block = blockIdx.x;
  if constexpr (has_chunks<work>) {
    extern __shared__ __align__(16) unsigned char shared[];
    const unsigned                                of_chunks = (p.a.chunk.size() + warps - 1) / warps;
    if (block < of_chunks) {
      const unsigned i    = block * warps + warp;
      S *const       sums = reinterpret_cast<S *>(shared) + warp * p.a.most_ends;
      if (i < p.a.chunk.size()) multiply_chunk<work == Work::raw_chunks, work == Work::few_chunks>(p, i, sums);
      return;
    }
    block -= of_chunks;
  }
  constexpr int together = work == Work::units_by_slot ? tuning::device_by_slot_together : tuning::device_unit_together;
  using Kept             = std::conditional_t<work == Work::rounded_units, float, S>;
  if (const unsigned i = block * warps + warp; i < p.a.plain_units) multiply_unit<work == Work::units_by_slot, Kept, together>(p, i);
}

/// How many warps a block has that takes consecutive chunks: all that a multiprocessor shall hold.
template <class S> inline constexpr unsigned consecutive_warps = tuning::device_chunk_warps_at_a_time / (sizeof(S) / sizeof(double));

/// Chunks and units by blocks of threads that stay, one on each multiprocessor: their warps take one chunk after the
/// other.
template <Work work, class S>
__global__ void __launch_bounds__(consecutive_warps<S> *image::lanes, 1) consecutive_kernel(const __grid_constant__ Product<S> p)
{
  const BesideOthers  others;
  __shared__ unsigned next;
  extern __shared__ __align__(16) unsigned char shared[];
  const unsigned                                warp = threadIdx.x / image::lanes;
  S *const                                      sums = reinterpret_cast<S *>(shared) + warp * p.a.most_ends;
  const kernels::DeviceShare                    chunks(p.a.chunk.size()), units(p.a.plain_units);
  if (threadIdx.x == 0) next = chunks.first + consecutive_warps<S>;
  __syncthreads();
  for (unsigned k = chunks.first + warp; k < chunks.last; k = kernels::take_next(next))
    multiply_chunk<work == Work::raw_chunks, false>(p, p.a.chunk_order ? __ldg(p.a.chunk_order + k) : k, sums);
  for (unsigned i = units.first + warp; i < units.last; i += consecutive_warps<S>) multiply_unit<false, S>(p, i);
}

/// Blocks of threads that pack x of the hot columns, beside those for units.
template <Work work, class S> __host__ __device__ unsigned pack_blocks(const Layout<S> &a)
{
  constexpr unsigned threads = BlockShape<work, S>::warps * image::lanes;
  return (a.hot.size() + threads - 1) / threads;
}

/// x of the hot columns, side by side, and a warp for each unit.
template <Work work, class S>
__global__ void __launch_bounds__(BlockShape<work, S>::warps *image::lanes, BlockShape<work, S>::at_a_time)
  pack_hot_kernel(const __grid_constant__ Product<S> p)
{
  const BesideOthers others;
  const unsigned     of_hot = pack_blocks<work>(p.a);
  if (blockIdx.x < of_hot) {
    if (const unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < p.a.hot.size()) p.a.hot_x[k] = p.x[p.a.hot[k]];
    return;
  }
  const unsigned i = (blockIdx.x - of_hot) * BlockShape<work, S>::warps + threadIdx.x / image::lanes;
  if (i < p.a.plain_units) multiply_unit<work == Work::units_by_slot, S>(p, i);
}

/// Chunks with x of the hot columns in shared memory: a block of threads for each multiprocessor. After
/// pack_hot_kernel, which it may be launched with. Shared memory begins with a line of 128 bytes: 16 bytes behind one,
/// copies to it asked for each sector twice, which took 5 us on R-MAT 20 relabelled.
template <bool raw, class S>
__global__ void __launch_bounds__(tuning::device_hot_warps *image::lanes, 1) hot_kernel(const __grid_constant__ Product<S> p)
{
  cudaTriggerProgrammaticLaunchCompletion();
  __shared__ unsigned next;
  extern __shared__ __align__(128) unsigned char shared[];
  multiply_hot<raw>(p, next, reinterpret_cast<S *>(shared));
}

/// After multiply_kernel, which it may be launched with.
template <class S> __global__ void join_kernel(const __grid_constant__ Product<S> p)
{
  join_all(p);
}

template <class S> class DeviceKind<image::ChunkKind, S> : public FilledChunks<S> {
public:
  template <class Image> void prepare(const Image &m)
  {
    summary_ = m;
    if (!m.hot.empty()) prepare_hot(m.hot.size());
    if (m.consecutive && m.chunk.size() > tuning::device_few_chunks && m.most_ends <= tuning::device_most_consecutive)
      prepare_consecutive();
  }

  /// No chunks, and units whose slots have one value each.
  bool only_by_slot(const Product<S> &p) const { return p.a.chunk.size() == 0 && summary_.all_by_slot; }
  /// With units.
  void launch_with_units(const Product<S> &p, LaunchesBeside &launches) const
  {
    const unsigned chunks = p.a.chunk.size();
    if (p.a.hot.size() > 0) launch_hot(p, launches);
    else if (only_by_slot(p)) launch_of<Work::units_by_slot>(p, launches);
    else if (chunks == 0) launch_units(p, launches);
    else if (chunks <= tuning::device_few_chunks) launch_of<Work::few_chunks>(p, launches);
    else if (consecutive_blocks_ > 0) launch_consecutive(p, launches);
    else if (summary_.all_raw) launch_of<Work::raw_chunks>(p, launches);
    else launch_of<Work::chunks>(p, launches);
  }
  /// After all other kernels: the parts of cut rows, unless others have added them.
  void join_parts(const Product<S> &p) const
  {
    if (p.a.cut.size() > 0 && p.a.chunk.size() > tuning::device_few_chunks && p.a.hot.size() == 0) join(p);
  }

private:
  /// Units and chunks by one kernel.
  template <Work work> static void launch_of(const Product<S> &p, LaunchesBeside &launches)
  {
    constexpr unsigned warps  = BlockShape<work, S>::warps;
    const unsigned     blocks = (p.a.plain_units + warps - 1) / warps + (p.a.chunk.size() + warps - 1) / warps;
    if (blocks == 0) return;
    const std::size_t shared = has_chunks<work> ? warps * p.a.most_ends * sizeof(S) : 0;
    launches.launch(multiply_kernel<work, S>, {blocks, warps * image::lanes, shared}, p);
  }
  void launch_units(const Product<S> &p, LaunchesBeside &launches) const
  {
    if constexpr (sizeof(S) == sizeof(double)) {
      if (summary_.rounded_units) {
        launch_of<Work::rounded_units>(p, launches);
        return;
      }
    }
    launch_of<Work::units>(p, launches);
  }
  static void join(const Product<S> &p) { kernels::launch_with_last(join_kernel<S>, {join_blocks(p.a), tuning::device_join_threads}, p); }

  /// Calls visit(kernel, bytes of shared memory) with the kernel for consecutive chunks.
  template <class Visit> void with_consecutive_kernel(const Visit &visit) const
  {
    const std::size_t shared = consecutive_warps<S> * summary_.most_ends * sizeof(S);
    if (summary_.all_raw) visit(consecutive_kernel<Work::raw_chunks, S>, shared);
    else visit(consecutive_kernel<Work::chunks, S>, shared);
  }
  void prepare_consecutive()
  {
    with_consecutive_kernel([this](auto kernel, std::size_t shared) {
      kernels::allow_shared_memory(kernel);
      consecutive_blocks_ = static_cast<unsigned>(kernels::resident_blocks(kernel, consecutive_warps<S> * image::lanes, shared));
    });
  }
  void launch_consecutive(const Product<S> &p, LaunchesBeside &launches) const
  {
    with_consecutive_kernel([&](auto kernel, std::size_t shared) {
      launches.launch(kernel, {consecutive_blocks_, consecutive_warps<S> * image::lanes, shared}, p);
    });
  }

  /// Calls visit(kernel) with the kernel for chunks with hot columns.
  template <class Visit> void with_hot_kernel(const Visit &visit) const
  {
    if constexpr (sizeof(S) == sizeof(double)) {
      if (summary_.all_raw) visit(hot_kernel<true, S>);
      else visit(hot_kernel<false, S>);
    }
  }
  /// Bytes of shared memory that a block takes: x of the hot columns, and sums.
  static std::size_t hot_bytes(std::size_t columns)
  {
    return (columns + std::size_t(tuning::device_hot_warps) * tuning::device_hot_sums) * sizeof(S);
  }
  void prepare_hot(std::size_t columns)
  {
    with_hot_kernel([&](auto kernel) {
      kernels::allow_shared_memory(kernel);
      hot_blocks_ = static_cast<unsigned>(kernels::resident_blocks(kernel, tuning::device_hot_warps * image::lanes, hot_bytes(columns)));
    });
  }
  template <Work work> static void launch_pack(const Product<S> &p, LaunchesBeside &launches)
  {
    constexpr unsigned warps = BlockShape<work, S>::warps;
    launches.launch(pack_hot_kernel<work, S>, {pack_blocks<work>(p.a) + (p.a.plain_units + warps - 1) / warps, warps * image::lanes}, p);
  }
  /// Units, then chunks, which begin when x of the hot columns is packed.
  void launch_hot(const Product<S> &p, LaunchesBeside &launches) const
  {
    if (summary_.all_by_slot) launch_pack<Work::units_by_slot>(p, launches);
    else launch_pack<Work::units>(p, launches);
    with_hot_kernel([&](auto kernel) {
      kernels::launch_with_last(kernel, {hot_blocks_, tuning::device_hot_warps * image::lanes, hot_bytes(p.a.hot.size())}, p);
    });
    if (p.a.cut.size() > 0) join(p);
  }

  image::Summary summary_;
  unsigned       hot_blocks_ = 0, consecutive_blocks_ = 0; ///< zero if there are no chunks of that kind
};

} // namespace petscspmv::ccoo::device
