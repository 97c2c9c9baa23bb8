#pragma once

/// \file hot_device.cuh
/// Chunks of a matrix with hot columns: x of these is in shared memory.
///
/// What such a product takes is sectors of the second-level cache: one for each entry whose column is not hot, besides those of the matrix. A
/// multiprocessor has one block of as many warps as it can hold, which leaves 64 registers to a thread: raw values are taken eight at a time
/// with their columns, all of which are loaded at once, and then the eight x. Sums wait in the little shared memory that is left, for to
/// write one as it comes means to wait for the number of its row, and three accesses to a sector for its eight bytes. R-MAT 20 asks for 13.3
/// M sectors; relabelled, that takes about 80 us, 5.3 TB/s, near the most that this cache of an H200 gives, 5.9 in a product of a circuit;
/// with its own labels 97.

#include <cuda_pipeline_primitives.h>

#include "impls/ccoo/tiles/chunk_device.cuh"

namespace petscspmv::ccoo::device {

/// x of a column of a chunk.
template <class S> struct HotOrFar {
  const S *hot; ///< in shared memory
  const S *x;   ///< of the chunk's least column

  __device__ S operator()(std::uint32_t column) const
  {
    return column >= image::Chunk::hot_column ? hot[column - image::Chunk::hot_column] : kernels::load_shared(x + column);
  }
};

/// Entries part * n .. part * n + n - 1 of each lane, whose values are raw.
template <int n, class S> struct RawEntries {
  LaneColumns<n>  column;
  RawValues<n, S> value;

  __device__ RawEntries(const Product<S> &p, const image::Chunk &c, int lane, int part)
    : column(c.wide, p.a.column + c.column * image::piece, lane, part), value(p.a.value + c.value * image::piece, lane, part)
  {
  }
  __device__ void multiply(const HotOrFar<S> &x, bool conjugate, S (&product)[n]) const
  {
#pragma unroll
    for (int k = 0; k < n; ++k) product[k] = x(column[k]);
#pragma unroll
    for (int k = 0; k < n; ++k) product[k] = kernels::product(value[k], product[k], conjugate);
  }
};

/// Chunk i, by a warp. `hot`: x of the hot columns; `sums`: room for device_hot_sums. `raw`: all chunks of the matrix are.
template <bool raw, class S> __device__ void multiply_hot_chunk(const Product<S> &p, unsigned i, const S *hot, S *sums)
{
  constexpr int                         together = tuning::device_hot_together;
  const int                             lane     = threadIdx.x % image::lanes;
  const image::Chunk                    c        = load_16(p.a.chunk + i);
  const std::uint32_t                   end      = __ldg(p.a.end + i * image::lanes + lane);
  const SegmentRows                     first(p, c, 0, lane);
  const HotOrFar<S>                     x{hot, p.x + c.least};
  ChunkSums<tuning::device_hot_sums, S> rows(p, c, i, end, sums, lane);
  if constexpr (raw) {
#pragma unroll
    for (int part = 0; part < image::each / together; ++part) {
      S v[together];
      RawEntries<together, S>(p, c, lane, part).multiply(x, p.conjugate, v);
      rows.add(part * together, v);
    }
  } else { // x first, and values as they come: registers are few
    const LaneColumns<image::each> columns(c.wide, p.a.column + c.column * image::piece, lane);
    S                              v[image::each];
#pragma unroll
    for (int k = 0; k < image::each; ++k) v[k] = x(columns[k]);
    LaneValues<S>::template for_each<false>(c, p, lane, [&](int k, S value) { v[k] = kernels::product(value, v[k], p.conjugate); });
    rows.add(0, v);
  }
  rows.close(first);
}

/// Brings x of the hot columns to shared memory, by all threads of a block.
template <class S> __device__ void bring_hot(const Product<S> &p, S *hot)
{
  constexpr unsigned together = image::piece / sizeof(S);
  for (unsigned k = threadIdx.x * together; k < p.a.hots; k += blockDim.x * together) {
    if (k + together <= p.a.hots) __pipeline_memcpy_async(hot + k, p.a.hot_x + k, image::piece);
    else
      for (unsigned l = k; l < p.a.hots; ++l) hot[l] = p.a.hot_x[l];
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

/// All chunks, by blocks of threads that stay: neighbours are on different multiprocessors. `shared` is in shared memory. After the kernel
/// that packs x of the hot columns.
template <bool raw, class S> __device__ void multiply_hot(const Product<S> &p, S *shared)
{
  constexpr unsigned warps = tuning::device_hot_warps;
  const unsigned     warp  = threadIdx.x / image::lanes;
  S *const           sums  = shared + p.a.hots + warp * tuning::device_hot_sums;
  cudaGridDependencySynchronize();
  bring_hot(p, shared);
  __syncthreads();
  for (unsigned i = warp * gridDim.x + blockIdx.x; i < p.a.chunks; i += warps * gridDim.x) {
    multiply_hot_chunk<raw>(p, i, shared, sums);
    __syncwarp(); // the sums of this chunk have been read
  }
}

} // namespace petscspmv::ccoo::device
