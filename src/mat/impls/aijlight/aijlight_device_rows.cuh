#pragma once

/// \file aijlight_device_rows.cuh
/// Rows that a ticket stands for, summed by groups of lanes.

#include "impls/aijlight/aijlight_device_layout.cuh"
#include "kernels/device_row_block.cuh"

namespace petscspmv::aijlight {

/// The sum of entries i, i + lanes, ... below end, from memory.
template <int lanes, class Scalar, class Index> __device__ Scalar lane_sum(const Product<Scalar, Index> &p, Index i, Index end)
{
  return kernels::strided_sum_once<lanes>(p.a.val, p.a.col, p.x, p.conjugate, i, end);
}

/// Rows top .. top + count - 1, but not from `last` on, by a team of neighbouring lanes. count <= team, and is the same in the whole warp, all
/// of whose lanes come here together.
///
/// Lane i of the team reads the bounds of row top + i and writes its sum, so that both are one access for all rows; in between, rows are
/// summed by `lanes` lanes each, team / lanes of them at a time. Where a team is a warp, rows that would keep the others waiting are summed
/// by all of it afterwards. How a row is summed depends on its length alone.
template <int team, int lanes, class Scalar, class Index>
__device__ void sum_rows(const Product<Scalar, Index> &p, Index top, int count, Index last)
{
  constexpr int   warp = 32, at_a_time = team / lanes;
  constexpr Index late_entries = tuning::late_entries_per_lane * lanes;
  const auto     &a            = p.a;
  const int       lane = threadIdx.x % team, group = lane / lanes;
  const Index     row  = top + lane;
  Index           from = 0, to = 0;
  const bool      mine = lane < count && Index(lane) < last - top;
  if (mine) {
    from = __ldg(a.row_ptr + row);
    to   = __ldg(a.row_ptr + row + 1);
  }
  const bool  is_long = to - from > a.piece; // its pieces are summed elsewhere
  const bool  is_late = team == warp && lanes < warp && !is_long && to - from > late_entries;
  const Index stop    = is_long || is_late ? from : to;
  Scalar      result  = 0;
#pragma unroll 1
  for (int first = 0; first < count; first += at_a_time) {
    const Index  begin = kernels::from_lane(from, first + group, team), end = kernels::from_lane(stop, first + group, team);
    const Scalar sum    = kernels::sum_over_lanes(lane_sum<lanes>(p, begin + lane % lanes, end), lanes);
    const Scalar passed = kernels::from_lane(sum, (lane % at_a_time) * lanes, team);
    if (lane - lane % at_a_time == first) result = passed;
  }
  if constexpr (team == warp && lanes < warp)
    for (unsigned left = __ballot_sync(~0u, is_late); left; left &= left - 1) {
      const int    owner = __ffs(left) - 1;
      const Index  begin = kernels::from_lane(from, owner, warp), end = kernels::from_lane(to, owner, warp);
      const Scalar sum = kernels::sum_over_lanes(lane_sum<warp>(p, begin + lane, end), warp);
      if (lane == owner) result = sum;
    }
  if (mine && !is_long) p.update(row, result);
}

/// Tickets are taken by teams of neighbouring lanes: by the `lanes` that sum a row, or by a warp.
template <int threads, int team, int lanes, class Scalar, class Index> __device__ void multiply_by_teams(const Product<Scalar, Index> &p)
{
  constexpr int  teams  = threads / team;
  const auto    &a      = p.a;
  const unsigned all    = gridDim.x * teams;
  unsigned       ticket = blockIdx.x * teams + threadIdx.x / team;
  while (__any_sync(~0u, ticket < a.tickets)) {
    // The next ticket is drawn early: it comes while rows are summed.
    const bool working = ticket < a.tickets;
    unsigned   next    = a.tickets;
    if (working && threadIdx.x % team == 0) next = all + atomicAdd(&a.queue->drawn, 1u);
    const Index first = working ? static_cast<Index>(ticket) * a.ticket : a.rows;
    const Index last  = a.rows - first < a.ticket ? a.rows : first + a.ticket;
    for (Index done = 0; done < a.ticket; done += team)
      sum_rows<team, lanes>(p, done < last - first ? first + done : last, static_cast<int>(min(a.ticket - done, Index(team))), last);
    ticket = kernels::from_lane(next, 0, team);
  }
}

/// Rows top .. bottom - 1 from memory, a warp's share by each warp.
template <int lanes, class Scalar, class Index>
__device__ void sum_rows_that_do_not_fit(const Product<Scalar, Index> &p, Index top, Index bottom)
{
  constexpr int warp = 32, rows = warp / lanes;
  sum_rows<warp, lanes>(p, top + Index(threadIdx.x / warp) * rows, rows, bottom);
}

/// Rows top .. bottom - 1, at most threads / lanes of them, by a block of threads: their entries come to shared memory, if they have room.
/// Where all blocks of rows do (`all_fit`), there is no need for the registers that the other way takes.
template <int threads, int lanes, bool all_fit, class Scalar, class Index>
__device__ void sum_row_block(const Product<Scalar, Index> &p, Index top, Index bottom, kernels::StagedRows<Scalar, Index> &staged)
{
  const auto &a     = p.a;
  const Index begin = __ldg(a.row_ptr + top), end = __ldg(a.row_ptr + bottom);
  if constexpr (!all_fit)
    if (!staged.fit(begin, end)) return sum_rows_that_do_not_fit<lanes>(p, top, bottom);
  const Index row = top + threadIdx.x / lanes, lane = threadIdx.x % lanes;
  Index       from = begin, to = begin;
  if (row < bottom) {
    from = __ldg(a.row_ptr + row);
    to   = __ldg(a.row_ptr + row + 1);
  }
  const bool is_long = to - from > a.piece; // its pieces are summed elsewhere
  staged.bring(a.val, a.col, begin, end);
  const Scalar sum = kernels::sum_over_lanes(staged.template sum<lanes>(p.x, p.conjugate, from + lane, is_long ? from : to), lanes);
  if (row < bottom && lane == 0 && !is_long) p.update(row, sum);
}

/// Tickets are taken by blocks of threads.
template <int threads, int lanes, bool all_fit, class Scalar, class Index>
__device__ void multiply_by_blocks(const Product<Scalar, Index> &p, unsigned char *shared)
{
  constexpr int rows = threads / lanes;
  __shared__ kernels::BulkCopy       copy;
  __shared__ unsigned                next[2]; // in turns: one is read while the other is written
  const auto                        &a = p.a;
  kernels::StagedRows<Scalar, Index> staged(shared, a.capacity, copy);
  int                                turn = 0;
  for (unsigned ticket = blockIdx.x; ticket < a.tickets; ticket = next[turn], turn = 1 - turn) {
    if (threadIdx.x == 0) next[turn] = gridDim.x + atomicAdd(&a.queue->drawn, 1u);
    const Index first = static_cast<Index>(ticket) * a.ticket;
    const Index last  = a.rows - first < a.ticket ? a.rows : first + a.ticket;
    for (Index top = first; top < last; top += rows)
      sum_row_block<threads, lanes, all_fit>(p, top, last - top < rows ? last : top + rows, staged);
    __syncthreads();
  }
}

} // namespace petscspmv::aijlight
