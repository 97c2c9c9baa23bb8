#pragma once

/// \file hot.cuh
/// Chunks of a matrix with hot columns, whose x is in shared memory.
///
/// The bound is sectors of the second-level cache: one for each entry whose column is not hot, besides those of the
/// matrix. R-MAT 20 on an H200 loads 12.7 M sectors in 80 us, 94 % of what this cache can do. A multiprocessor has one
/// block of as many warps as it can hold, with 64 registers a thread: raw values and columns are loaded eight at a
/// time, then the eight x. Sums wait in the shared memory that is left: to write each as it comes costs a wait for the
/// number of its row and three accesses to a sector. Neither x sorted by frequency, nor bulk copies of x, nor clusters
/// that share it, nor prefetches of chunks made it faster.

#include <type_traits>

#include <cuda_pipeline_primitives.h>

#include "impls/ccoo/device/chunk/chunk_kernel.cuh"

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

  __device__ RawEntries(const Chunks<S> &a, const image::Chunk &c, int lane, int part)
    : column(c.wide, a.column + c.column * image::piece, lane, part), value(a.value + c.value * image::piece, lane, part)
  {
  }
  __device__ void multiply(const HotOrFar<S> &x, S (&product)[n]) const
  {
#pragma unroll
    for (int k = 0; k < n; ++k) product[k] = x(column[k]);
#pragma unroll
    for (int k = 0; k < n; ++k) product[k] = value[k] * product[k];
  }
};

/// Where values are coded, all columns together: registers are few.
struct NoEntries {
  template <class... Any> __device__ explicit NoEntries(const Any &...) { }
};

/// A chunk, by a warp, which asks for the first entries at once if values are raw: while x of the hot columns is not
/// there yet, those are on their way. `raw`: all chunks of the matrix are.
template <bool raw, class S> class HotChunk {
public:
  /// The chunk that is multiplied as number `at`.
  __device__ HotChunk(const Chunks<S> &a, unsigned at) : i_(__ldg(a.chunk_order + at)), c_(load_16(a.chunk + i_)), first_(a, c_, lane(), 0)
  {
  }

  /// `hot`: x of the hot columns; `sums`: room for device_hot_sums.
  __device__ void multiply(const Chunks<S> &a, const Pass<S> &p, const S *hot, S *sums) const
  {
    const std::uint32_t                   end = __ldg(a.end + i_ * image::lanes + lane());
    const SegmentRows                     rows_of_first(a, c_, 0, lane());
    const HotOrFar<S>                     x{hot, p.x + c_.least};
    ChunkSums<tuning::device_hot_sums, S> rows(a, p, c_, i_, end, sums, lane());
    S                                     v[together];
    if constexpr (raw) {
      first_.multiply(x, v);
      rows.add(0, v);
#pragma unroll
      for (int part = 1; part < image::each / together; ++part) {
        RawEntries<together, S>(a, c_, lane(), part).multiply(x, v);
        rows.add(part * together, v);
      }
    } else { // x first, and values as they come
      const LaneColumns<together> columns(c_.wide, a.column + c_.column * image::piece, lane());
#pragma unroll
      for (int k = 0; k < together; ++k) v[k] = x(columns[k]);
      LaneValues<S>::template for_each<false>(c_, a, lane(), [&](int k, S value) { v[k] = value * v[k]; });
      rows.add(0, v);
    }
    rows.close(rows_of_first);
  }

private:
  static constexpr int together = raw ? tuning::device_hot_together : image::each;

  __device__ static int lane()
  {
    return static_cast<int>(threadIdx.x % image::lanes);
  }

  unsigned                                                    i_;
  image::Chunk                                                c_;
  std::conditional_t<raw, RawEntries<together, S>, NoEntries> first_;
};

/// Brings x of the hot columns to shared memory, by all threads of a block.
template <class S> __device__ void bring_hot(const Chunks<S> &a, S *hot)
{
  constexpr unsigned together = image::piece / sizeof(S);
  for (unsigned k = threadIdx.x * together; k < a.hot.size(); k += blockDim.x * together) {
    if (k + together <= a.hot.size()) __pipeline_memcpy_async(hot + k, a.hot_x + k, image::piece);
    else
      for (unsigned l = k; l < a.hot.size(); ++l) hot[l] = a.hot_x[l];
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

/// All chunks, by blocks of threads that stay: neighbours are on different multiprocessors, and a warp that is done
/// with one takes the next of those of its block. `next` and `shared` are in shared memory. After the kernel that packs
/// x of the hot columns.
template <bool raw, class S> __device__ void multiply_hot(const Chunks<S> &a, const Pass<S> &p, unsigned &next, S *shared)
{
  const unsigned warp = threadIdx.x / image::lanes;
  S *const       sums = shared + a.hot.size() + warp * tuning::device_hot_sums;
  if (threadIdx.x == 0) next = tuning::device_hot_warps;
  unsigned         at = warp * gridDim.x + blockIdx.x;
  HotChunk<raw, S> chunk(a, min(at, a.chunk.size() - 1));
  cudaGridDependencySynchronize();
  bring_hot(a, shared);
  __syncthreads();
  while (at < a.chunk.size()) {
    chunk.multiply(a, p, shared, sums);
    at = take_next(next) * gridDim.x + blockIdx.x;
    if (at >= a.chunk.size()) break;
    chunk = HotChunk<raw, S>(a, at);
  }
}

} // namespace petscspmv::ccoo::device
