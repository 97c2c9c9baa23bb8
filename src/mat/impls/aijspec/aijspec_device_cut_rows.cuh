#pragma once

/// \file aijspec_device_cut_rows.cuh
/// Rows that lie in several tiles: whoever comes last adds their parts, in the order of the tiles.

#include <cstdint>

#include "impls/aijspec/aijspec_device_layout.cuh"
#include "kernels/device/block_sum.cuh"

namespace petscspmv::aijspec {

/// A row whose parts are the tails of tiles first .. last - 1 and the head of tile last.
template <class Index> struct CutRow {
  Index    row;
  unsigned first, last;
};

/// The row that is cut at the beginning of tile t and ends in it, or the row that is cut at its end. False if there is
/// none.
template <class Scalar, class Index, class Values>
__device__ bool find_cut_row(const DeviceLayout<Scalar, Index, Values> &a, unsigned t, bool at_end, CutRow<Index> &cut)
{
  const Tile<Index> tile = a.tile[t];
  if (tile.first_row == tile.last_row) return false;
  const Index row = at_end ? tile.last_row - 1 : tile.first_row, from = __ldg(a.row_ptr + row), to = __ldg(a.row_ptr + row + 1);
  if (at_end ? to <= tile.end : from >= tile.begin || to > tile.end) return false;
  cut = {row, static_cast<unsigned>(from / a.tile_step), t};
  if (!at_end) return true;
  // The window with the last entry. Its tile has none of the row if the next row begins early enough in it.
  cut.last = static_cast<unsigned>((to - 1) / a.tile_step);
  if (to - static_cast<Index>(cut.last) * a.tile_step < a.tile_snap) --cut.last;
  return true;
}

/// Says that one more part of the row lies in memory; true for the last of them.
template <class Scalar, class Index, class Values>
__device__ bool arrive(const DeviceLayout<Scalar, Index, Values> &a, const CutRow<Index> &cut)
{
  __threadfence();
  if (atomicAdd(a.arrived + cut.first, 1) != cut.last - cut.first) return false;
  a.arrived[cut.first] = 0; // for the next product
  __threadfence();
  return true;
}

/// To be called by all threads of a block that has summed tiles first, first + stride, .., when their parts of cut rows
/// are in memory. `shared` has room for a CutRow for each thread.
template <int threads, class Scalar, class Index, class Values>
__device__ void join_cut_rows(const Product<Scalar, Index, Values> &p, unsigned first, unsigned stride, unsigned char *shared)
{
  __shared__ int       count;
  CutRow<Index> *const many = reinterpret_cast<CutRow<Index> *>(shared); // rows with many parts
  const auto          &a    = p.a;
  // Two threads for each tile: its beginning and its end.
  for (std::uint64_t top = first; top < a.tiles; top += threads / 2 * std::uint64_t(stride)) {
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    const std::uint64_t t = top + threadIdx.x / 2 * std::uint64_t(stride);
    CutRow<Index>       cut;
    if (t < a.tiles && find_cut_row(a, static_cast<unsigned>(t), threadIdx.x % 2 == 1, cut) && arrive(a, cut)) {
      if (cut.last - cut.first > tuning::parts_per_thread) many[atomicAdd(&count, 1)] = cut; // in any order: each has its own sum
      else {
        Scalar part[tuning::parts_per_thread], sum = 0;
#pragma unroll
        for (unsigned k = 0; k < tuning::parts_per_thread; ++k)
          part[k] = cut.first + k < cut.last ? kernels::load_fresh(&a.cut[cut.first + k].tail) : Scalar(0);
#pragma unroll
        for (unsigned k = 0; k < tuning::parts_per_thread; ++k) sum += part[k];
        p.update(cut.row, sum + kernels::load_fresh(&a.cut[cut.last].head));
      }
    }
    __syncthreads();
    for (int m = 0; m < count; ++m) {
      const CutRow<Index> c   = many[m];
      Scalar              sum = 0;
#pragma unroll 4
      for (unsigned k = c.first + threadIdx.x; k < c.last; k += threads) sum += kernels::load_fresh(&a.cut[k].tail);
      sum = kernels::block_sum<threads>(sum);
      if (threadIdx.x == 0) p.update(c.row, sum + kernels::load_fresh(&a.cut[c.last].head));
      __syncthreads();
    }
  }
}

} // namespace petscspmv::aijspec
