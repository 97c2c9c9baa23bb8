#pragma once

/// \file aijspec_device_rows.cuh
/// Blocks of rows: for rows that are short and alike.

#include "impls/aijspec/aijspec_device_layout.cuh"
#include "kernels/device_bulk_copy.cuh"

namespace petscspmv::aijspec {

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

/// A block of rows: its entries come to shared memory by two bulk copies, and each row is summed by `lanes` neighbouring lanes. `round` counts
/// the blocks of a group that have been copied.
template <int lanes, class Scalar, class Index>
__device__ void multiply_row_block(const Product<Scalar, Index> &p, unsigned block, unsigned char *shared, kernels::BulkCopy &copy,
                                   unsigned &round)
{
  constexpr int rows = tuning::row_threads / lanes, grain = kernels::BulkCopy::grain;
  const auto   &a = p.a;
  if (a.wild && a.wild[block]) return;
  Scalar *const val = reinterpret_cast<Scalar *>(shared);
  Index *const  col = reinterpret_cast<Index *>(val + a.capacity);
  const Index   top = static_cast<Index>(block) * rows, bottom = top + rows < a.rows ? top + rows : a.rows;
  const Index   row = top + threadIdx.x / lanes, lane = threadIdx.x % lanes;
  const Index   begin = __ldg(a.row_ptr + top), end = __ldg(a.row_ptr + bottom);
  Index         from = 0, to = 0;
  if (row < bottom) {
    from = __ldg(a.row_ptr + row);
    to   = __ldg(a.row_ptr + row + 1);
  }
  const Index base = begin & ~Index(grain - 1); // entry e comes to lie at e - base
  Scalar      sum;
  if (end - base <= a.capacity - grain) {
    if (round > 0) __syncthreads(); // all have read the entries of the block before
    if (threadIdx.x == 0) {
      const auto n = static_cast<unsigned>((end - base + grain - 1) & ~Index(grain - 1));
      if (round == 0) copy.begin();
      copy.announce(n * (sizeof(Index) + sizeof(Scalar)));
      if (n > 0) {
        copy.copy(col, a.col + base, n * sizeof(Index));
        copy.copy(val, a.val + base, n * sizeof(Scalar));
      }
    }
    if (round == 0) __syncthreads(); // all see the barrier
    copy.wait(round++);
    sum = strided_sum<lanes>(p, val, col, from - base + lane, to - base);
  } else sum = strided_sum<lanes>(p, a.val, a.col, from + lane, to); // blocks of rows were asked for although they do not fit
  sum = kernels::sum_over_lanes(sum, lanes);
  if (row < bottom && lane == 0) p.update(row, sum);
}

/// The blocks of rows of one group.
template <int lanes, class Scalar, class Index>
__device__ void multiply_rows(const Product<Scalar, Index> &p, unsigned group, unsigned char *shared)
{
  constexpr unsigned size = tuning::row_group<lanes>;
  __shared__ kernels::BulkCopy copy;
  unsigned                     round = 0;
  if constexpr (size == 1) multiply_row_block<lanes>(p, group, shared, copy, round);
  else {
    const unsigned last = min((group + 1) * size, p.a.row_blocks);
    for (unsigned block = group * size; block < last; ++block) multiply_row_block<lanes>(p, block, shared, copy, round);
  }
}

} // namespace petscspmv::aijspec
