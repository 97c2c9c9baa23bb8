#pragma once

/// \file ccoo_device_kernels.cuh
/// y = alpha op(A) x + beta y on a device, in one launch.

#include "impls/ccoo/ccoo_device_tuning.hpp"
#include "impls/ccoo/tiles/batch_device.cuh"
#include "impls/ccoo/tiles/chunk_device.cuh"
#include "impls/ccoo/tiles/diagonal_device.cuh"
#include "impls/ccoo/tiles/hot_device.cuh"
#include "impls/ccoo/tiles/local_device.cuh"
#include "impls/ccoo/tiles/node_device.cuh"
#include "impls/ccoo/tiles/repeated_device.cuh"
#include "impls/ccoo/tiles/slide_device.cuh"
#include "kernels/device/beside.cuh"
#include "kernels/device/share.cuh"

namespace petscspmv::ccoo::device {

/// What a matrix asks of the kernel.
enum class Work {
  units_by_slot, ///< units whose slots have one value each
  units,         ///< units
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
  constexpr unsigned          warps = BlockShape<work, S>::warps;
  const kernels::BesideOthers others;
  const unsigned              warp  = threadIdx.x / image::lanes;
  unsigned                    block = blockIdx.x;
  if constexpr (has_chunks<work>) {
    extern __shared__ __align__(16) unsigned char shared[];
    const unsigned                                of_chunks = (p.a.chunks + warps - 1) / warps;
    if (block < of_chunks) {
      const unsigned i    = block * warps + warp;
      S *const       sums = reinterpret_cast<S *>(shared) + warp * p.a.most_ends;
      if (i < p.a.chunks) multiply_chunk<work == Work::raw_chunks, work == Work::few_chunks>(p, i, sums);
      return;
    }
    block -= of_chunks;
  }
  constexpr int together = work == Work::units_by_slot ? tuning::device_by_slot_together : tuning::device_unit_together;
  if (const unsigned i = block * warps + warp; i < p.a.units) multiply_unit<work == Work::units_by_slot, together>(p, i);
}

/// How many warps a block has that takes consecutive chunks: all that a multiprocessor shall hold.
template <class S> inline constexpr unsigned consecutive_warps = tuning::device_chunk_warps_at_a_time / (sizeof(S) / sizeof(double));

/// Chunks and units by blocks of threads that stay, one on each multiprocessor: their warps take one chunk after the
/// other.
template <Work work, class S>
__global__ void __launch_bounds__(consecutive_warps<S> *image::lanes, 1) consecutive_kernel(const __grid_constant__ Product<S> p)
{
  const kernels::BesideOthers others;
  __shared__ unsigned         next;
  extern __shared__ __align__(16) unsigned char shared[];
  const unsigned                                warp = threadIdx.x / image::lanes;
  S *const                                      sums = reinterpret_cast<S *>(shared) + warp * p.a.most_ends;
  const kernels::DeviceShare                    chunks(p.a.chunks), units(p.a.units);
  if (threadIdx.x == 0) next = chunks.first + consecutive_warps<S>;
  __syncthreads();
  for (unsigned k = chunks.first + warp; k < chunks.last; k = kernels::take_next(next))
    multiply_chunk<work == Work::raw_chunks, false>(p, p.a.chunk_order ? __ldg(p.a.chunk_order + k) : k, sums);
  for (unsigned i = units.first + warp; i < units.last; i += consecutive_warps<S>) multiply_unit<false>(p, i);
}

/// A block for each job of sliding units, and, where they are launched together, a warp for each unit that does not
/// slide and has one value a slot. `stores`: DeviceRowUpdate::put().
template <class Weights, int warps, bool stores>
__global__ void __launch_bounds__(warps *image::lanes, tuning::device_slides) slide_kernel(const __grid_constant__ Product<double> p)
{
  const kernels::BesideOthers others;
  extern __shared__ __align__(128) unsigned char shared[];
  if (blockIdx.x < p.a.slides) return slide<Weights, stores>(p, blockIdx.x, reinterpret_cast<double *>(shared));
  const unsigned i = (blockIdx.x - p.a.slides) * warps + threadIdx.x / image::lanes;
  if (i < p.a.units) multiply_unit<true>(p, i);
}

/// A warp for each of the units first .. last - 1 of nodes, which have b rows each.
template <int b, class S>
__global__ void __launch_bounds__(tuning::device_node_warps *image::lanes,
                                  tuning::device_node_warps_at_a_time(b) / tuning::device_node_warps / (sizeof(S) / sizeof(double)))
  node_kernel(const __grid_constant__ Product<S> p, unsigned first, unsigned last)
{
  const kernels::BesideOthers others;
  const unsigned              i = first + blockIdx.x * tuning::device_node_warps + threadIdx.x / image::lanes;
  if (i < last) multiply_nodes<b>(p, i);
}

/// A block for each tile of repeated rows: multiply_repeated().
template <bool near, bool stores, class S>
__global__ void __launch_bounds__(tuning::device_repeated_warps *image::lanes,
                                  tuning::device_repeated_blocks / (sizeof(S) / sizeof(double)))
  repeated_kernel(const __grid_constant__ Product<S> p)
{
  const kernels::BesideOthers others;
  extern __shared__ __align__(128) unsigned char shared[]; // for copies of whole lines
  multiply_repeated<near, stores>(p, blockIdx.x, shared);
}

/// Local tiles, by blocks of threads that stay.
template <class S>
__global__ void __launch_bounds__(tuning::device_local_groups *LocalTile::rows, tuning::device_local_blocks)
  local_kernel(const __grid_constant__ Product<S> p)
{
  const kernels::BesideOthers others;
  extern __shared__ __align__(16) unsigned char shared[];
  multiply_local(p, *reinterpret_cast<LocalBlock<S> *>(shared));
}

/// A block for each batch, all of one coding.
template <Coding coding, bool wide, class S>
__global__ void __launch_bounds__(device_batch_threads, tuning::device_batches_at_a_time / (sizeof(S) / sizeof(double)))
  batch_kernel(const __grid_constant__ BatchProduct<S> p)
{
  cudaTriggerProgrammaticLaunchCompletion();
  multiply_batch<coding, wide>(p);
}

/// Blocks of threads that pack x of the hot columns, beside those for units.
template <Work work, class S> __host__ __device__ unsigned pack_blocks(const Layout<S> &a)
{
  constexpr unsigned threads = BlockShape<work, S>::warps * image::lanes;
  return (a.hots + threads - 1) / threads;
}

/// x of the hot columns, side by side, and a warp for each unit.
template <Work work, class S>
__global__ void __launch_bounds__(BlockShape<work, S>::warps *image::lanes, BlockShape<work, S>::at_a_time)
  pack_hot_kernel(const __grid_constant__ Product<S> p)
{
  const kernels::BesideOthers others;
  const unsigned              of_hot = pack_blocks<work>(p.a);
  if (blockIdx.x < of_hot) {
    if (const unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < p.a.hots) p.a.hot_x[k] = p.x[p.a.hot[k]];
    return;
  }
  const unsigned i = (blockIdx.x - of_hot) * BlockShape<work, S>::warps + threadIdx.x / image::lanes;
  if (i < p.a.units) multiply_unit<work == Work::units_by_slot>(p, i);
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

} // namespace petscspmv::ccoo::device
