#pragma once

/// \file aijlight_device_pieces.cuh
/// Pieces of rows that are too long to be summed at once.

#include "impls/aijlight/aijlight_device_rows.cuh"
#include "kernels/device/block_sum.cuh"

namespace petscspmv::aijlight {

/// The long row that a piece is of: the last whose first piece is not after it.
template <class Scalar, class Index> __device__ Index long_row_of(const DeviceLayout<Scalar, Index> &a, Index piece)
{
  Index low = 0, high = a.long_rows;
  while (high - low > 1) {
    const Index middle                                     = (low + high) / 2;
    (a.long_row[middle].first_piece <= piece ? low : high) = middle;
  }
  return low;
}

/// Adds the `pieces` parts of a row in a fixed order. By a warp; the sum is in all of its lanes.
template <class Scalar, class Index> __device__ Scalar sum_of_parts(const Scalar *part, Index pieces)
{
  constexpr int warp = 32;
  Scalar        sum  = 0;
  for (Index k = threadIdx.x % warp; k < pieces; k += warp) sum += kernels::load_fresh(part + k);
  return kernels::sum_over_lanes(sum, warp);
}

/// The pieces of long rows, dealt to blocks of threads: they are equal, and come first. Whoever sums the last piece of
/// a row, adds them.
///
/// Not inlined, so that it takes no registers from what all matrices need.
template <int threads, class Scalar, class Index> __device__ __noinline__ void sum_pieces(const Product<Scalar, Index> &p)
{
  constexpr int   warp = 32;
  __shared__ bool is_last;
  const auto     &a = p.a;
  for (Index piece = blockIdx.x; piece < a.pieces; piece += gridDim.x) {
    const Index k = long_row_of(a, piece), row = a.long_row[k].row, first = a.long_row[k].first_piece;
    const Index row_end = __ldg(a.row_ptr + row + 1), begin = __ldg(a.row_ptr + row) + (piece - first) * a.piece;
    const Index end    = row_end - begin < a.piece ? row_end : begin + a.piece;
    const Index pieces = (k + 1 < a.long_rows ? a.long_row[k + 1].first_piece : a.pieces) - first;

    const Scalar sum = kernels::block_sum<threads>(lane_sum<threads>(p, begin + Index(threadIdx.x), end));
    if (threadIdx.x == 0) {
      a.part[piece] = sum;
      __threadfence();
      is_last = atomicAdd(a.summed + k, 1u) + 1 == static_cast<unsigned>(pieces);
    }
    __syncthreads();
    if (is_last && threadIdx.x < warp) {
      __threadfence();
      const Scalar total = sum_of_parts(a.part + first, pieces);
      if (threadIdx.x == 0) {
        p.update(row, total);
        a.summed[k] = 0;
      }
    }
    __syncthreads(); // all have read is_last
  }
}

} // namespace petscspmv::aijlight
