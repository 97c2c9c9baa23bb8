#pragma once

/// \file node_device.cuh
/// Units of nodes on a device: a warp takes 32 nodes, one to a lane, and goes through their steps.
///
/// A lane reads a column once a step, x of a block of columns once for all rows of its node, and each value once. Lanes
/// are sorted by length, so that those with a step are the first ones and their columns and values lie side by side.
/// Several steps are on their way together.

#include <algorithm>

#include "impls/ccoo/ccoo_device_layout.cuh"
#include "impls/ccoo/ccoo_device_tuning.hpp"

namespace petscspmv::ccoo::device {

__device__ inline std::uint32_t load_once(const std::uint16_t *p)
{
  std::uint16_t v;
  asm("ld.global.nc.L1::no_allocate.u16 %0, [%1];" : "=h"(v) : "l"(p));
  return v;
}
__device__ inline std::uint32_t load_once(const std::uint32_t *p)
{
  return static_cast<std::uint32_t>(kernels::load_once(reinterpret_cast<const std::int32_t *>(p)));
}

/// What a lane reads for a step: b rows of `block` columns.
template <int b, int block, class S> struct NodeStep {
  S value[block * b], x[block];

  /// `stride`: lanes that have the step.
  template <class Column> __device__ void load(const Column *column, const S *values, int stride, const S *from)
  {
    from += load_once(column);
#pragma unroll
    for (int i = 0; i < block * b; ++i) value[i] = kernels::load_once(values + i * stride);
#pragma unroll
    for (int c = 0; c < block; ++c) x[c] = kernels::load_shared(from + c);
  }
  __device__ void add_to(S (&sum)[b], bool conjugate) const
  {
#pragma unroll
    for (int c = 0; c < block; ++c)
#pragma unroll
      for (int r = 0; r < b; ++r) sum[r] += kernels::product(value[c * b + r], x[c], conjugate);
  }
};

/// Steps that are on their way together: half as many of complex numbers.
template <int b, int block, class S>
inline constexpr int steps_together = std::max(1, tuning::device_node_steps(b, block) / int(sizeof(S) / sizeof(double)));

/// The sums of a lane's rows. `full`: steps that all lanes have; `most`: those that one of them has.
template <int b, int block, class Column, class S>
__device__ void add_steps(S (&sum)[b], const Column *column, const S *value, const S *x, int steps, int full, int most, int lane,
                          bool conjugate)
{
  constexpr int size = b * block, together = steps_together<b, block, S>;
  column += lane;
  value += lane;
  int k = 0;
  for (; k + together <= full; k += together, column += together * image::lanes, value += together * size * image::lanes) {
    NodeStep<b, block, S> step[together];
#pragma unroll
    for (int t = 0; t < together; ++t) step[t].load(column + t * image::lanes, value + t * size * image::lanes, image::lanes, x);
#pragma unroll
    for (int t = 0; t < together; ++t) step[t].add_to(sum, conjugate);
  }
  for (; k < most; k += together) {
    NodeStep<b, block, S> step[together];
#pragma unroll
    for (int t = 0; t < together; ++t) {
      const bool mine = k + t < steps;
      const int  live = __popc(__ballot_sync(~0u, mine));
      if (mine) step[t].load(column, value, live, x);
      if (mine && together == 1) step[t].add_to(sum, conjugate); // what is added as it comes takes fewer registers
      column += live;
      value += live * size;
    }
#pragma unroll
    for (int t = 0; t < together; ++t)
      if (k + t < steps && together > 1) step[t].add_to(sum, conjugate);
  }
}

/// Unit i, by a warp.
template <int b, class S> __device__ void multiply_nodes(const Product<S> &p, unsigned i)
{
  const int              lane = threadIdx.x % image::lanes;
  const image::NodeUnit  u    = load_16(p.a.node + i);
  const std::uint32_t    mine = __ldg(reinterpret_cast<const std::uint32_t *>(p.a.node_lane) + i * image::lanes + lane);
  const int              node = static_cast<int>(mine & 0xffff), steps = static_cast<int>(mine >> 16);
  const int              full = __shfl_sync(~0u, steps, image::lanes - 1), most = __shfl_sync(~0u, steps, 0);
  const S *const         x      = p.x + u.least;
  const S *const         value  = p.a.node_value + u.value * image::value_grain;
  const std::byte *const column = p.a.node_column + u.column * image::piece;
  S                      sum[b] = {};
  const auto             add    = [&](auto type) {
    const auto *columns = reinterpret_cast<const decltype(type) *>(column);
    if (u.blocked) add_steps<b, b>(sum, columns, value, x, steps, full, most, lane, p.conjugate);
    else add_steps<b, 1>(sum, columns, value, x, steps, full, most, lane, p.conjugate);
  };
  if (u.wide) add(std::uint32_t());
  else add(std::uint16_t());
  if (node == image::NodeLane::none) return;
#pragma unroll
  for (int r = 0; r < b; ++r) p.update(u.row + node * b + r, sum[r]);
}

} // namespace petscspmv::ccoo::device
