#pragma once

/// \file aijspec_device_rows.cuh
/// Blocks of rows: for rows that are short and alike.

#include "impls/aijspec/aijspec_device_layout.cuh"
#include "kernels/device/row_block.cuh"

namespace petscspmv::aijspec {

/// A block of rows: its entries come to shared memory, and each row is summed by `lanes` neighbouring lanes.
template <int lanes, class Scalar, class Index, class Values>
__device__ void multiply_row_block(const Product<Scalar, Index, Values> &p, unsigned block, kernels::StagedRows<Values, Index> &staged)
{
  constexpr int rows = tuning::row_threads / lanes;
  const auto   &a    = p.a;
  const Index   top = static_cast<Index>(block) * rows, bottom = top + rows < a.rows ? top + rows : a.rows;
  const Index   row = top + threadIdx.x / lanes, lane = threadIdx.x % lanes;
  const Index   begin = __ldg(a.row_ptr + top), end = __ldg(a.row_ptr + bottom);
  Index         from = begin, to = begin;
  if (row < bottom) {
    from = __ldg(a.row_ptr + row);
    to   = __ldg(a.row_ptr + row + 1);
  }
  Scalar sum;
  if (staged.fit(begin, end)) {
    staged.bring(a.val, a.col, a.nonzeros, begin, end);
    sum = staged.template sum<lanes>(a.val, p.x, p.conjugate, from + lane, to);
  } else // blocks of rows were asked for although they do not fit
    sum = kernels::strided_sum<lanes>(a.val, a.col, p.x, p.conjugate, from + lane, to);
  sum = kernels::sum_over_lanes(sum, lanes);
  if (row < bottom && lane == 0) p.update(row, sum);
}

/// The blocks of rows of one group.
template <int lanes, class Scalar, class Index, class Values>
__device__ void multiply_rows(const Product<Scalar, Index, Values> &p, unsigned group, unsigned char *shared)
{
  constexpr unsigned size = tuning::row_group<lanes>;
  __shared__ kernels::BulkCopy       copy;
  kernels::StagedRows<Values, Index> staged(shared, p.a.capacity, copy);
  if constexpr (size == 1) multiply_row_block<lanes>(p, group, staged);
  else {
    const unsigned last = min((group + 1) * size, p.a.row_blocks);
    for (unsigned block = group * size; block < last; ++block) multiply_row_block<lanes>(p, block, staged);
  }
}

} // namespace petscspmv::aijspec
