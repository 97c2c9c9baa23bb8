#pragma once

/// \file aijlight_device_rows.cuh
/// Rows that a ticket stands for, summed by groups of lanes.

#include "impls/aijlight/aijlight_device_layout.cuh"
#include "kernels/device/row_block.cuh"

namespace petscspmv::aijlight {

/// The sum of entries i, i + lanes, ... below end, from memory.
template <int lanes, class Scalar, class Index> __device__ Scalar lane_sum(const Product<Scalar, Index> &p, Index i, Index end)
{
  return kernels::strided_sum_once<lanes>(p.a.val, p.a.col, p.x, p.conjugate, i, end);
}

inline constexpr int warp = 32;

/// Whether a row would keep the others waiting if it were summed by `lanes` lanes, and the whole warp sums it
/// afterwards.
template <int lanes, class Index> __device__ bool is_late_row(Index entries)
{
  return lanes < warp && entries > tuning::late_entries_per_lane * lanes;
}

/// Sums the rows from .. to - 1 of those lanes of a warp that are `late`, each by the whole warp, into `sum` of its
/// lane; lane_sum(i, stop) adds entries i, i + warp, ... below stop.
template <class Scalar, class Index, class LaneSum>
__device__ void sum_late_rows(bool late, Index from, Index to, Scalar &sum, LaneSum lane_sum)
{
  const int lane = threadIdx.x % warp;
  for (unsigned left = __ballot_sync(~0u, late); left; left &= left - 1) {
    const int    owner = __ffs(left) - 1;
    const Index  begin = kernels::from_lane(from, owner, warp), end = kernels::from_lane(to, owner, warp);
    const Scalar whole = kernels::sum_over_lanes(lane_sum(begin + lane, end), warp);
    if (lane == owner) sum = whole;
  }
}

/// Rows top .. top + count - 1, but not from `last` on, by a team of neighbouring lanes. count <= team, and is the same
/// in the whole warp, all of whose lanes come here together.
///
/// Lane i of the team reads the bounds of row top + i and writes its sum, so that both are one access for all rows; in
/// between, rows are summed by `lanes` lanes each, team / lanes of them at a time. Where a team is a warp, rows that
/// would keep the others waiting are summed by all of it afterwards. How a row is summed depends on its length alone.
template <int team, int lanes, class Scalar, class Index>
__device__ void sum_rows(const Product<Scalar, Index> &p, Index top, int count, Index last)
{
  constexpr int at_a_time = team / lanes;
  const auto   &a         = p.a;
  const int     lane = threadIdx.x % team, group = lane / lanes;
  const Index   row  = top + lane;
  Index         from = 0, to = 0;
  const bool    mine = lane < count && Index(lane) < last - top;
  if (mine) {
    from = __ldg(a.row_ptr + row);
    to   = __ldg(a.row_ptr + row + 1);
  }
  const bool  is_long = to - from > a.piece; // its pieces are summed elsewhere
  const bool  is_late = team == warp && is_late_row<lanes>(to - from) && !is_long;
  const Index stop    = is_long || is_late ? from : to;
  Scalar      result  = 0;
#pragma unroll 1
  for (int first = 0; first < count; first += at_a_time) {
    const Index  begin = kernels::from_lane(from, first + group, team), end = kernels::from_lane(stop, first + group, team);
    const Scalar sum    = kernels::sum_over_lanes(lane_sum<lanes>(p, begin + lane % lanes, end), lanes);
    const Scalar passed = kernels::from_lane(sum, (lane % at_a_time) * lanes, team);
    if (lane - lane % at_a_time == first) result = passed;
  }
  if constexpr (team == warp) sum_late_rows(is_late, from, to, result, [&](Index i, Index stop) { return lane_sum<warp>(p, i, stop); });
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
  constexpr int rows = warp / lanes;
  sum_rows<warp, lanes>(p, top + Index(threadIdx.x / warp) * rows, rows, bottom);
}

/// Rows top .. bottom - 1, at most threads / lanes of them, by a block of threads: their entries come to shared memory,
/// if they have room. Where all blocks of rows do and no row keeps others waiting (`tame`), there is no need for the
/// registers that the other way takes.
template <int threads, int lanes, bool tame, class Scalar, class Index>
__device__ void sum_row_block(const Product<Scalar, Index> &p, Index top, Index bottom, kernels::StagedRows<Scalar, Index> &staged)
{
  const auto &a     = p.a;
  const Index begin = __ldg(a.row_ptr + top), end = __ldg(a.row_ptr + bottom);
  if constexpr (!tame)
    if (!staged.fit(begin, end)) return sum_rows_that_do_not_fit<lanes>(p, top, bottom);
  const Index row = top + threadIdx.x / lanes, lane = threadIdx.x % lanes;
  Index       from = begin, to = begin;
  if (row < bottom) {
    from = __ldg(a.row_ptr + row);
    to   = __ldg(a.row_ptr + row + 1);
  }
  const bool is_long = to - from > a.piece; // its pieces are summed elsewhere
  const bool is_late = !tame && is_late_row<lanes>(to - from) && !is_long;
  staged.bring(a.val, a.col, a.nonzeros, begin, end);
  Scalar sum = kernels::sum_over_lanes(staged.template sum<lanes>(p.x, p.conjugate, from + lane, is_long || is_late ? from : to), lanes);
  if constexpr (!tame)
    sum_late_rows(is_late && lane == 0, from, to, sum,
                  [&](Index i, Index stop) { return staged.template sum<warp>(p.x, p.conjugate, i, stop); });
  if (row < bottom && lane == 0 && !is_long) p.update(row, sum);
}

/// Tickets are taken by blocks of threads.
template <int threads, int lanes, bool tame, class Scalar, class Index>
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
      sum_row_block<threads, lanes, tame>(p, top, last - top < rows ? last : top + rows, staged);
    __syncthreads();
  }
}

} // namespace petscspmv::aijlight
