#pragma once

/// \file chunk_launch.cuh
/// Chunks with units, which share kernels: y = alpha A x + beta y in one launch, or in two or three with hot columns or
/// long rows that are cut.

#include "impls/ccoo/device/chunk/chunk_kernel.cuh"
#include "impls/ccoo/device/chunk/hot.cuh"
#include "impls/ccoo/device/multiprocessor.cuh"
#include "impls/ccoo/device/unit/unit_kernel.cuh"

namespace petscspmv::ccoo::device {

/// What a matrix asks of the kernel.
enum class ChunkWork {
  few,   ///< chunks of any coding, of which those that come last add the parts of cut rows
  coded, ///< chunks of any coding
  raw,   ///< chunks whose values are not coded
};

/// How many blocks of threads a multiprocessor shall hold; registers are kept so few that they fit.
template <class S>
inline constexpr unsigned chunk_blocks_at_a_time = tuning::device_chunk_warps_at_a_time / tuning::device_chunk_warps /
                                                   (sizeof(S) / sizeof(double));

/// A warp for each chunk, and one for each unit; those of chunks, which take longer, begin first.
template <ChunkWork work, class S>
__global__ void __launch_bounds__(tuning::device_chunk_warps *image::lanes, chunk_blocks_at_a_time<S>)
  multiply_kernel(const __grid_constant__ Chunks<S> a, const __grid_constant__ Units<S> units, const __grid_constant__ Pass<S> p)
{
  constexpr unsigned warps = tuning::device_chunk_warps;
  const BesideOthers others;
  extern __shared__ __align__(16) unsigned char shared[];
  const unsigned                                warp = threadIdx.x / image::lanes, of_chunks = (a.chunk.size() + warps - 1) / warps;
  unsigned                                      block = blockIdx.x;
  if (block < of_chunks) {
    const unsigned i    = block * warps + warp;
    S *const       sums = reinterpret_cast<S *>(shared) + warp * a.most_ends;
    if (i < a.chunk.size()) multiply_chunk<work == ChunkWork::raw, work == ChunkWork::few>(a, p, i, sums);
    return;
  }
  block -= of_chunks;
  if (const unsigned i = block * warps + warp; i < units.plain_units) multiply_unit<false, S>(units, p, i);
}

/// How many warps a block has that takes consecutive chunks: all that a multiprocessor shall hold.
template <class S> inline constexpr unsigned consecutive_warps = tuning::device_chunk_warps_at_a_time / (sizeof(S) / sizeof(double));

/// Chunks and units by blocks of threads that stay, one on each multiprocessor: their warps take one chunk after the
/// other.
template <ChunkWork work, class S>
__global__ void __launch_bounds__(consecutive_warps<S> *image::lanes, 1)
  consecutive_kernel(const __grid_constant__ Chunks<S> a, const __grid_constant__ Units<S> units, const __grid_constant__ Pass<S> p)
{
  const BesideOthers  others;
  __shared__ unsigned next;
  extern __shared__ __align__(16) unsigned char shared[];
  const unsigned                                warp = threadIdx.x / image::lanes;
  S *const                                      sums = reinterpret_cast<S *>(shared) + warp * a.most_ends;
  const DeviceShare                             chunks(a.chunk.size()), of_units(units.plain_units);
  if (threadIdx.x == 0) next = chunks.first + consecutive_warps<S>;
  __syncthreads();
  for (unsigned k = chunks.first + warp; k < chunks.last; k = take_next(next))
    multiply_chunk<work == ChunkWork::raw, false>(a, p, a.chunk_order ? __ldg(a.chunk_order + k) : k, sums);
  for (unsigned i = of_units.first + warp; i < of_units.last; i += consecutive_warps<S>) multiply_unit<false, S>(units, p, i);
}

/// Blocks of threads that pack x of the hot columns, beside those for units.
template <class S> __host__ __device__ unsigned pack_blocks(const Chunks<S> &a)
{
  constexpr unsigned threads = tuning::device_unit_warps * image::lanes;
  return (a.hot.size() + threads - 1) / threads;
}

/// x of the hot columns, side by side, and a warp for each unit.
template <UnitWork work, class S>
__global__ void __launch_bounds__(tuning::device_unit_warps *image::lanes, unit_blocks_at_a_time<work, S>)
  pack_hot_kernel(const __grid_constant__ Chunks<S> a, const __grid_constant__ Units<S> units, const __grid_constant__ Pass<S> p)
{
  const BesideOthers others;
  const unsigned     of_hot = pack_blocks(a);
  if (blockIdx.x < of_hot) {
    if (const unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < a.hot.size()) a.hot_x[k] = p.x[a.hot[k]];
    return;
  }
  const unsigned i = (blockIdx.x - of_hot) * tuning::device_unit_warps + threadIdx.x / image::lanes;
  if (i < units.plain_units) multiply_unit<work == UnitWork::by_slot, S>(units, p, i);
}

/// Chunks with x of the hot columns in shared memory: a block of threads for each multiprocessor. After
/// pack_hot_kernel, which it may be launched with. Shared memory begins with a line of 128 bytes: 16 bytes behind one,
/// copies to it asked for each sector twice, which took 5 us on R-MAT 20 relabelled.
template <bool raw, class S>
__global__ void __launch_bounds__(tuning::device_hot_warps *image::lanes, 1)
  hot_kernel(const __grid_constant__ Chunks<S> a, const __grid_constant__ Pass<S> p)
{
  cudaTriggerProgrammaticLaunchCompletion();
  __shared__ unsigned next;
  extern __shared__ __align__(128) unsigned char shared[];
  multiply_hot<raw>(a, p, next, reinterpret_cast<S *>(shared));
}

/// After multiply_kernel, which it may be launched with.
template <class S> __global__ void join_kernel(const __grid_constant__ Chunks<S> a, const __grid_constant__ Pass<S> p)
{
  join_all(a, p);
}

template <class S> class FilledChunks; // chunk_fill.cuh

template <class S> class DeviceKind<image::ChunkKind, S> : public FilledChunks<S> {
  using AllUnits = DeviceKind<image::UnitKind, S>;

public:
  template <class Image> void prepare(const Image &m)
  {
    arrived_.clear();
    hot_blocks_ = consecutive_blocks_ = 0;
    if (!m.hot.empty()) prepare_hot();
    if (m.consecutive && m.chunk.size() > tuning::device_few_chunks && m.most_ends <= tuning::device_most_consecutive)
      prepare_consecutive();
  }

  bool is_empty() const { return arrays_.chunk.size() == 0; }
  /// With units, if there are chunks.
  void launch_with(const AllUnits &units, const Pass<S> &p, LaunchesBeside &launches) const
  {
    if (arrays_.hot.size() > 0) launch_hot(units, p, launches);
    else if (arrays_.chunk.size() <= tuning::device_few_chunks) launch_of<ChunkWork::few>(units.view(), p, launches);
    else if (consecutive_blocks_ > 0) launch_consecutive(units.view(), p, launches);
    else if (this->counts().all_raw) launch_of<ChunkWork::raw>(units.view(), p, launches);
    else launch_of<ChunkWork::coded>(units.view(), p, launches);
  }
  /// After all other kernels: the parts of cut rows, unless others have added them.
  void join_parts(const Pass<S> &p) const
  {
    if (arrays_.cut.size() > 0 && arrays_.chunk.size() > tuning::device_few_chunks && arrays_.hot.size() == 0) join(p);
  }

  template <class Image, class Visit> void for_each_scratch(const Image &m, const Visit &visit)
  {
    visit(part_, m.cut.empty() ? 0 : m.chunk.size());
    visit(arrived_, m.cut.size());
    visit(hot_x_, m.hot.size());
  }
  bool has_scratch() const { return part_.size() + hot_x_.size() > 0; }
  void add_scratch_to(Footprint &f) const
  {
    this->add_to(f, "parts of cut rows", part_.bytes() + arrived_.bytes());
    this->add_to(f, "x of hot columns", hot_x_.bytes());
  }

private:
  using FilledChunks<S>::arrays_;

  Chunks<S> chunks() const { return {this->view(), hot_x_.data(), part_.data(), arrived_.data()}; }

  /// Units and chunks by one kernel.
  template <ChunkWork work> void launch_of(const Units<S> &units, const Pass<S> &p, LaunchesBeside &launches) const
  {
    constexpr unsigned warps  = tuning::device_chunk_warps;
    const unsigned     blocks = (units.plain_units + warps - 1) / warps + (this->count(arrays_.chunk) + warps - 1) / warps;
    const std::size_t  shared = warps * this->view().most_ends * sizeof(S);
    launches.launch(multiply_kernel<work, S>, {blocks, warps * image::lanes, shared}, chunks(), units, p);
  }
  void join(const Pass<S> &p) const
  {
    kernels::launch_with_last(join_kernel<S>, {join_blocks(chunks()), tuning::device_join_threads}, chunks(), p);
  }

  /// Calls visit(kernel, bytes of shared memory) with the kernel for consecutive chunks.
  template <class Visit> void with_consecutive_kernel(const Visit &visit) const
  {
    const std::size_t shared = consecutive_warps<S> * this->view().most_ends * sizeof(S);
    if (this->counts().all_raw) visit(consecutive_kernel<ChunkWork::raw, S>, shared);
    else visit(consecutive_kernel<ChunkWork::coded, S>, shared);
  }
  void prepare_consecutive()
  {
    with_consecutive_kernel([this](auto kernel, std::size_t shared) {
      allow_shared_memory(kernel);
      consecutive_blocks_ = static_cast<unsigned>(resident_blocks(kernel, consecutive_warps<S> * image::lanes, shared));
    });
  }
  void launch_consecutive(const Units<S> &units, const Pass<S> &p, LaunchesBeside &launches) const
  {
    with_consecutive_kernel([&](auto kernel, std::size_t shared) {
      launches.launch(kernel, {consecutive_blocks_, consecutive_warps<S> * image::lanes, shared}, chunks(), units, p);
    });
  }

  /// Calls visit(kernel) with the kernel for chunks with hot columns.
  template <class Visit> void with_hot_kernel(const Visit &visit) const
  {
    if constexpr (sizeof(S) == sizeof(double)) {
      if (this->counts().all_raw) visit(hot_kernel<true, S>);
      else visit(hot_kernel<false, S>);
    }
  }
  /// Bytes of shared memory that a block takes: x of the hot columns, and sums.
  std::size_t hot_bytes() const
  {
    return (arrays_.hot.size() + std::size_t(tuning::device_hot_warps) * tuning::device_hot_sums) * sizeof(S);
  }
  void prepare_hot()
  {
    with_hot_kernel([&](auto kernel) {
      allow_shared_memory(kernel);
      hot_blocks_ = static_cast<unsigned>(resident_blocks(kernel, tuning::device_hot_warps * image::lanes, hot_bytes()));
    });
  }
  template <UnitWork work> void launch_pack(const Units<S> &units, const Pass<S> &p, LaunchesBeside &launches) const
  {
    constexpr unsigned warps  = tuning::device_unit_warps;
    const unsigned     blocks = pack_blocks(chunks()) + (units.plain_units + warps - 1) / warps;
    launches.launch(pack_hot_kernel<work, S>, {blocks, warps * image::lanes}, chunks(), units, p);
  }
  /// Units, then chunks, which begin when x of the hot columns is packed.
  void launch_hot(const AllUnits &units, const Pass<S> &p, LaunchesBeside &launches) const
  {
    if (units.counts().all_by_slot) launch_pack<UnitWork::by_slot>(units.view(), p, launches);
    else launch_pack<UnitWork::own>(units.view(), p, launches);
    with_hot_kernel([&](auto kernel) {
      kernels::launch_with_last(kernel, {hot_blocks_, tuning::device_hot_warps * image::lanes, hot_bytes()}, chunks(), p);
    });
    if (arrays_.cut.size() > 0) join(p);
  }

  DeviceArray<Parts<S>> part_;
  DeviceArray<unsigned> arrived_;
  DeviceArray<S>        hot_x_;
  unsigned              hot_blocks_ = 0, consecutive_blocks_ = 0; ///< zero if there are no chunks of that kind
};

} // namespace petscspmv::ccoo::device
