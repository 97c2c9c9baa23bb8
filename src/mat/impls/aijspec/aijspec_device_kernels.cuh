#pragma once

/// \file aijspec_device_kernels.cuh
/// y = alpha op(A) x + beta y on a device. Three kernels: the product, the rows that are cut between tiles, the dirty tiles.

#include "impls/aijspec/aijspec_device_layout.cuh"
#include "kernels/device_bulk_copy.cuh"

namespace petscspmv::aijspec {

/// What blocks of threads do.
enum class Work { rows, tiles, both };

template <class Scalar, class Index> struct Product {
  DeviceLayout<Scalar, Index>      a;
  const Scalar                    *x;
  kernels::DeviceRowUpdate<Scalar> update;
  bool                             conjugate; ///< of the values
};

/// Entries begin .. end - 1 on their way to shared memory; entry e comes to lie at e - base.
template <class Scalar, class Index> struct StagedEntries {
  Scalar *val;
  Index  *col;
  Index   base;

  /// By all threads of the block. What lies in the pieces of 16 bytes around the entries comes along.
  __device__ StagedEntries(const DeviceLayout<Scalar, Index> &a, unsigned char *shared, kernels::BulkCopy &copy, Index begin, Index end)
    : val(reinterpret_cast<Scalar *>(shared)), col(reinterpret_cast<Index *>(val + a.capacity)), base(begin & ~Index(copy.grain - 1))
  {
    const auto n = static_cast<unsigned>((end - base + copy.grain - 1) & ~Index(copy.grain - 1));
    if (threadIdx.x == 0) {
      copy.begin(n * (sizeof(Index) + sizeof(Scalar)));
      if (n > 0) {
        copy.copy(col, a.col + base, n * sizeof(Index));
        copy.copy(val, a.val + base, n * sizeof(Scalar));
      }
    }
    __syncthreads();
  }
};

/// The sum of entries i, i + lanes, ... below end of val[i] x[col[i]]: several loads of x on their way at a time.
template <int lanes, class Scalar, class Index>
__device__ Scalar strided_sum(const Product<Scalar, Index> &p, const Scalar *val, const Index *col, Index i, Index end)
{
  constexpr int ahead = 8;
  Scalar        sum   = 0;
  for (; i < end; i += ahead * lanes) {
    Scalar xs[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k)
      if (i + k * lanes < end) xs[k] = kernels::load_shared(p.x + col[i + k * lanes]);
#pragma unroll
    for (int k = 0; k < ahead; ++k)
      if (i + k * lanes < end) sum += kernels::product(val[i + k * lanes], xs[k], p.conjugate);
  }
  return sum;
}

/// A block of rows: each row by `lanes` neighbouring lanes.
template <int lanes, class Scalar, class Index>
__device__ void multiply_rows(const Product<Scalar, Index> &p, unsigned block, unsigned char *shared, kernels::BulkCopy &copy)
{
  constexpr int rows = tuning::block_threads / lanes;
  const auto   &a    = p.a;
  if (a.wild && a.wild[block]) return;
  const Index first = static_cast<Index>(block) * rows, last = first + rows < a.rows ? first + rows : a.rows;
  const Index row = first + threadIdx.x / lanes, lane = threadIdx.x % lanes;
  const Index begin = __ldg(a.row_ptr + first), end = __ldg(a.row_ptr + last);
  Index       from = 0, to = 0;
  if (row < last) {
    from = __ldg(a.row_ptr + row);
    to   = __ldg(a.row_ptr + row + 1);
  }
  Scalar sum;
  if (end - (begin & ~Index(copy.grain - 1)) <= a.capacity - copy.grain) {
    const StagedEntries<Scalar, Index> staged(a, shared, copy, begin, end);
    copy.wait();
    sum = strided_sum<lanes>(p, staged.val, staged.col, from - staged.base + lane, to - staged.base);
  } else sum = strided_sum<lanes>(p, a.val, a.col, from + lane, to); // blocks of rows were asked for although they do not fit
  sum = kernels::sum_over_lanes(sum, lanes);
  if (row < last && lane == 0) p.update(row, sum);
}

/// Where the sum of the entries of a row in tile t goes.
template <class Scalar, class Index>
__device__ void deliver(const Product<Scalar, Index> &p, unsigned t, const Tile<Index> &tile, Index row, Index from, Index to, Scalar sum)
{
  if (to > tile.end) p.a.cut[t].tail = sum;
  else if (from < tile.begin) p.a.cut[t].head = sum;
  else p.update(row, sum);
}

/// A tile: first the products of all entries, each in the place of its value, then the sums over rows. The lanes that share a row are as
/// many as there are for the rows of the tile; rows that would hold them up are left to whole warps.
template <class Scalar, class Index>
__device__ void multiply_tile(const Product<Scalar, Index> &p, unsigned t, unsigned char *shared, kernels::BulkCopy &copy)
{
  constexpr int    threads = tuning::block_threads, warp = 32, each = tuning::tile_entries_per_thread;
  constexpr int    long_row = 64, long_share = 24; // entries; entries a lane
  __shared__ int   long_rows;
  __shared__ Index long_row_list[threads * each / long_row + 1];

  const auto       &a    = p.a;
  const Tile<Index> tile = a.tile[t];
  if (threadIdx.x == 0) long_rows = 0;
  const StagedEntries<Scalar, Index> staged(a, shared, copy, tile.begin, tile.end);
  const int                          offset = static_cast<int>(tile.begin - staged.base), n = static_cast<int>(tile.end - tile.begin);
  copy.wait();

  Scalar *const entry = staged.val + offset;
  Scalar        xs[each];
#pragma unroll
  for (int k = 0; k < each; ++k) {
    const int i = threadIdx.x + k * threads;
    if (i < n) xs[k] = kernels::load_shared(p.x + staged.col[offset + i]);
  }
#pragma unroll
  for (int k = 0; k < each; ++k) {
    const int i = threadIdx.x + k * threads;
    if (i < n) entry[i] = kernels::product(entry[i], xs[k], p.conjugate);
  }
  __syncthreads();

  // A dirty tile sums only the rows that may be cut; sum_dirty_tiles does what lies between.
  const Index tile_rows = tile.last_row - tile.first_row;
  const bool  dirty     = tile_rows > tuning::max_tile_rows;
  const int   rows      = dirty ? 2 : static_cast<int>(tile_rows);
  int         lanes     = 1;
  while (lanes < warp && 2 * lanes * rows <= threads) lanes *= 2;
  const int lane = threadIdx.x & (lanes - 1), together = threads / lanes;
  for (int r = 0; r < rows; r += together) {
    const int k   = r + threadIdx.x / lanes;
    Index     row = 0, from = 0, to = 0;
    Scalar    sum  = 0;
    bool      mine = k < rows, late = false;
    if (mine) {
      row  = dirty && k == 1 ? tile.last_row - 1 : tile.first_row + k;
      from = __ldg(a.row_ptr + row);
      to   = __ldg(a.row_ptr + row + 1);
      // of the row at the end, nothing may lie in the tile
      mine          = from < tile.end || from == to;
      const int low = static_cast<int>((from > tile.begin ? from : tile.begin) - tile.begin);
      const int top = static_cast<int>((to < tile.end ? to : tile.end) - tile.begin);
      late          = top - low > long_row && top - low > long_share * lanes;
      if (!late)
        for (int i = low + lane; i < top; i += lanes) sum += entry[i];
    }
    sum = kernels::sum_over_lanes(sum, lanes);
    if (!mine || lane > 0) continue;
    if (late) long_row_list[atomicAdd(&long_rows, 1)] = row; // in any order: each has its own sum
    else if (from == to) p.update.empty(row);
    else deliver(p, t, tile, row, from, to, sum);
  }
  __syncthreads();
  for (int k = threadIdx.x / warp; k < long_rows; k += threads / warp) {
    const Index row = long_row_list[k], from = __ldg(a.row_ptr + row), to = __ldg(a.row_ptr + row + 1);
    const int   low = static_cast<int>((from > tile.begin ? from : tile.begin) - tile.begin);
    const int   top = static_cast<int>((to < tile.end ? to : tile.end) - tile.begin);
    Scalar      sum = 0;
    for (int i = low + threadIdx.x % warp; i < top; i += warp) sum += entry[i];
    sum = kernels::sum_over_lanes(sum, warp);
    if (threadIdx.x % warp == 0) deliver(p, t, tile, row, from, to, sum);
  }
}

/// Tiles stand evenly among the blocks of rows: the ones wait for the second-level cache, the others for memory.
template <Work work, int lanes, class Scalar, class Index>
__global__ void __launch_bounds__(tuning::block_threads) multiply_kernel(const __grid_constant__ Product<Scalar, Index> p)
{
  extern __shared__ __align__(128) unsigned char shared[];
  __shared__ kernels::BulkCopy copy;
  if constexpr (work != Work::rows) cudaTriggerProgrammaticLaunchCompletion();
  if constexpr (work == Work::rows) multiply_rows<lanes>(p, blockIdx.x, shared, copy);
  else if constexpr (work == Work::tiles) multiply_tile(p, blockIdx.x, shared, copy);
  else {
    const unsigned tiles_before = __umulhi(blockIdx.x, p.a.tile_ratio), tiles_with = __umulhi(blockIdx.x + 1, p.a.tile_ratio);
    if (tiles_with > tiles_before) multiply_tile(p, tiles_before, shared, copy);
    else multiply_rows<lanes>(p, blockIdx.x - tiles_before, shared, copy);
  }
}

inline constexpr int join_threads = 256;

/// The sum over all threads of a block of join_threads, in thread 0. A barrier has to lie between two calls.
template <class Scalar> __device__ Scalar block_sum(Scalar sum)
{
  constexpr int     warp = 32, warps = join_threads / warp;
  __shared__ double part[warps * sizeof(Scalar) / sizeof(double)];
  Scalar *const     parts = reinterpret_cast<Scalar *>(part);
  sum                     = kernels::sum_over_lanes(sum, warp);
  if (threadIdx.x % warp == 0) parts[threadIdx.x / warp] = sum;
  __syncthreads();
  sum = threadIdx.x < warps ? parts[threadIdx.x] : Scalar(0);
  return threadIdx.x < warp ? kernels::sum_over_lanes(sum, warps) : sum;
}

/// Puts the parts of cut rows together, in the order of the tiles: thread t does the row that begins in tile t and goes on after it.
template <class Scalar, class Index>
__global__ void __launch_bounds__(join_threads) join_cut_rows(const __grid_constant__ Product<Scalar, Index> p)
{
  __shared__ int      many, many_list[join_threads];
  const auto         &a   = p.a;
  const std::uint64_t t   = std::uint64_t(blockIdx.x) * join_threads + threadIdx.x;
  Index               row = 0, last = 0; // the row's last tile
  bool                cut = false;
  if (threadIdx.x == 0) many = 0;
  if (t < a.tiles) {
    const Tile<Index> tile = a.tile[t];
    row                    = tile.last_row - 1;
    const Index from = __ldg(a.row_ptr + row), to = __ldg(a.row_ptr + row + 1);
    cut  = from >= tile.begin && from < tile.end && to > tile.end;
    last = static_cast<Index>(t) + (to - tile.end + a.tile_entries - 1) / a.tile_entries;
  }
  __syncthreads();
  cudaGridDependencySynchronize();
  if (cut && last - static_cast<Index>(t) <= tuning::parts_per_thread) {
    Scalar sum = 0;
    for (Index k = static_cast<Index>(t); k < last; ++k) sum += a.cut[k].tail;
    p.update(row, sum + a.cut[last].head);
  } else if (cut) many_list[atomicAdd(&many, 1)] = threadIdx.x; // in any order: each has its own sum
  __syncthreads();
  for (int m = 0; m < many; ++m) {
    const Index       first = static_cast<Index>(std::uint64_t(blockIdx.x) * join_threads + many_list[m]);
    const Tile<Index> tile  = a.tile[first];
    const Index       r = tile.last_row - 1, end = first + (__ldg(a.row_ptr + r + 1) - tile.end + a.tile_entries - 1) / a.tile_entries;
    Scalar            sum = 0;
#pragma unroll 4
    for (Index k = first + threadIdx.x; k < end; k += join_threads) sum += a.cut[k].tail;
    sum = block_sum(sum);
    if (threadIdx.x == 0) p.update(r, sum + a.cut[end].head);
    __syncthreads();
  }
}

inline constexpr int repair_threads = 256;

/// The rows of dirty tiles but for the two that may be cut: where most rows are empty, a thread a row is enough for the others.
template <class Scalar, class Index>
__global__ void __launch_bounds__(repair_threads) sum_dirty_tiles(const __grid_constant__ Product<Scalar, Index> p)
{
  const auto &a = p.a;
  for (unsigned d = blockIdx.y; d < a.dirty_tiles; d += gridDim.y) {
    const Tile<Index> tile = a.tile[a.dirty[d]];
    for (Index row = tile.first_row + 1 + Index(blockIdx.x) * repair_threads + threadIdx.x; row < tile.last_row - 1;
         row += Index(gridDim.x) * repair_threads) {
      const Index from = __ldg(a.row_ptr + row), to = __ldg(a.row_ptr + row + 1);
      if (from == to) p.update.empty(row);
      else p.update(row, strided_sum<1>(p, a.val, a.col, from, to));
    }
  }
}

/// y = beta y.
template <class Scalar, class Index> __global__ void scale_kernel(Index n, const kernels::DeviceRowUpdate<Scalar> update)
{
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) update.empty(i);
}

} // namespace petscspmv::aijspec
