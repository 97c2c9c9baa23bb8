#pragma once

/// \file node_kernel.cuh
/// Units of nodes on a device: a warp takes 32 nodes, one to a lane, and goes through their steps.
///
/// A lane reads a column once a step, x of a block of columns once for all rows of its node, and each value once. Lanes
/// are sorted by length, so that those with a step are the first ones and their columns and values lie side by side.
/// Several steps are in flight together.

#include <algorithm>
#include <utility>

#include "impls/ccoo/device/device_kind.cuh"
#include "impls/ccoo/device/node/node_arrays.hpp"
#include "impls/ccoo/device/node/node_tuning.hpp"
#include "impls/ccoo/device/values.cuh"

namespace petscspmv::ccoo::device {

template <class S> using Nodes = View<image::NodeKind, S>;

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
  template <class Column, class Kept> __device__ void load(const Column *column, const Kept *values, int stride, const S *from)
  {
    from += load_once(column);
#pragma unroll
    for (int i = 0; i < block * b; ++i) value[i] = S(kernels::load_once(values + i * stride));
#pragma unroll
    for (int c = 0; c < block; ++c) x[c] = kernels::load_shared(from + c);
  }
  __device__ void add_to(S (&sum)[b]) const
  {
#pragma unroll
    for (int c = 0; c < block; ++c)
#pragma unroll
      for (int r = 0; r < b; ++r) sum[r] += value[c * b + r] * x[c];
  }
};

/// Steps that are in flight together: half as many of complex numbers.
template <int b, int block, class S>
inline constexpr int steps_together = std::max(1, tuning::device_node_steps(b, block) / int(sizeof(S) / sizeof(double)));

/// The sums of a lane's rows. `full`: steps that all lanes have; `most`: those that one of them has.
template <int b, int block, class Column, class Kept, class S>
__device__ void add_steps(S (&sum)[b], const Column *column, const Kept *value, const S *x, int steps, int full, int most, int lane)
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
    for (int t = 0; t < together; ++t) step[t].add_to(sum);
  }
  for (; k < most; k += together) {
    NodeStep<b, block, S> step[together];
#pragma unroll
    for (int t = 0; t < together; ++t) {
      const bool mine = k + t < steps;
      const int  live = __popc(__ballot_sync(~0u, mine));
      if (mine) step[t].load(column, value, live, x);
      if (mine && together == 1) step[t].add_to(sum); // what is added as it comes takes fewer registers
      column += live;
      value += live * size;
    }
#pragma unroll
    for (int t = 0; t < together; ++t)
      if (k + t < steps && together > 1) step[t].add_to(sum);
  }
}

/// Unit i, whose values are kept as `Kept`, by a warp.
template <int b, class Kept, class S> __device__ void multiply_nodes(const Nodes<S> &a, const Pass<S> &p, unsigned i)
{
  const int              lane = threadIdx.x % image::lanes;
  const image::NodeUnit  u    = load_16(a.node + i);
  const std::uint32_t    mine = __ldg(reinterpret_cast<const std::uint32_t *>(a.node_lane) + i * image::lanes + lane);
  const int              node = static_cast<int>(mine & 0xffff), steps = static_cast<int>(mine >> 16);
  const int              full = __shfl_sync(~0u, steps, image::lanes - 1), most = __shfl_sync(~0u, steps, 0);
  const S *const         x      = p.x + u.least;
  const Kept *const      value  = reinterpret_cast<const Kept *>(a.node_value) + u.value * image::value_grain;
  const std::byte *const column = a.node_column + u.column * image::piece;
  S                      sum[b] = {};
  const auto             add    = [&](auto type) {
    const auto *columns = reinterpret_cast<const decltype(type) *>(column);
    if (u.blocked) add_steps<b, b>(sum, columns, value, x, steps, full, most, lane);
    else add_steps<b, 1>(sum, columns, value, x, steps, full, most, lane);
  };
  if (u.wide) add(std::uint32_t());
  else add(std::uint16_t());
  if (node == image::NodeLane::none) return;
#pragma unroll
  for (int r = 0; r < b; ++r) p.update(u.row + node * b + r, sum[r]);
}

/// A warp for each of the units first .. last - 1 of nodes, which have b rows each.
template <int b, class Kept, class S>
__global__ void __launch_bounds__(tuning::device_node_warps *image::lanes,
                                  tuning::device_node_warps_at_a_time(b) / tuning::device_node_warps / (sizeof(S) / sizeof(double)))
  node_kernel(const __grid_constant__ Nodes<S> a, const __grid_constant__ Pass<S> p, unsigned first, unsigned last)
{
  const BesideOthers others;
  const unsigned     i = first + blockIdx.x * tuning::device_node_warps + threadIdx.x / image::lanes;
  if (i < last) multiply_nodes<b, Kept>(a, p, i);
}

/// Warps that share a unit of nodes when values are filled in, each with every eighth step: one alone waits for its
/// loads. 27-point 64^3 with three unknowns, H200: 0.4 ms instead of 1.7.
inline constexpr unsigned warps_of_nodes = 8;

/// Values of units of nodes. `misfits`: not zero if one cannot be kept so; null: all can.
template <class Kept, class S, class Index>
__global__ void fill_nodes_kernel(Nodes<S> a, unsigned units, RowsView<S, Index> rows, Kept *node_value, unsigned *misfits)
{
  const unsigned i = warp_number() / warps_of_nodes, first = warp_number() % warps_of_nodes;
  if (i >= units) return;
  const image::NodeUnit u    = a.node[i];
  const int             lane = static_cast<int>(threadIdx.x) % image::lanes, b = u.rows_of_node, block = u.blocked ? b : 1;
  const image::NodeLane mine  = a.node_lane[i * std::size_t(image::lanes) + lane];
  const int             steps = mine.steps;
  const Index           begin = steps > 0 ? rows.row_ptr[u.row + mine.node * b] : Index(0), length = static_cast<Index>(steps) * block;
  Kept *const           value = node_value + u.value * image::value_grain;
  bool                  fits  = true;
  std::size_t           at    = 0; // values before this step
  for (int k = 0;; ++k) {
    const int live = __popc(__ballot_sync(~0u, steps > k));
    if (live == 0) break;
    if (steps > k && k % warps_of_nodes == first) {
      const Index from = begin + static_cast<Index>(k) * block;
      for (int c = 0; c < block; ++c)
        for (int r = 0; r < b; ++r) fits = keep(value[at + (c * b + r) * live + lane], rows.val[from + r * length + c]) && fits;
    }
    at += static_cast<std::size_t>(live * b * block);
  }
  const std::size_t end = (at + image::value_grain - 1) / image::value_grain * image::value_grain;
  if (first == 0 && at + lane < end) value[at + lane] = Kept(0);
  if (!fits && misfits) *misfits = 1;
}

template <class S> class DeviceKind<image::NodeKind, S> : public PiecesOf<image::NodeKind, S> {
public:
  /// A kernel for each number of rows that a node has.
  void launch(const Pass<S> &p, LaunchesBeside &launches) const
  {
    constexpr unsigned warps = tuning::device_node_warps;
    unsigned           first = 0;
    const auto         units = [&]<int rows>(std::integral_constant<int, rows>) {
      const unsigned n = this->counts().units_of_nodes[rows];
      if (n > 0)
        image::with_kept_type<S>(this->counts().rounded_nodes, [&](auto kept) {
          launches.launch(node_kernel<rows, decltype(kept), S>, {(n + warps - 1) / warps, warps * image::lanes}, this->view(), p, first,
                                  first + n);
        });
      first += n;
    };
    [&]<int... k>(std::integer_sequence<int, k...>)
    {
      (units(std::integral_constant<int, k + 2>()), ...);
    }
    (std::make_integer_sequence<int, node_limit - 1>());
  }

  bool                                     wants_row_ptr() const { return this->arrays_.node.size() > 0; }
  template <class Image> static bool       checks(const Image &m) { return m.rounded_nodes; }
  template <class Image, class Index> void fill(const Image &m, const Filling<S, Index> &f)
  {
    if (m.node_value.is_left()) renew(f);
  }
  template <class Index> void renew(const Filling<S, Index> &f)
  {
    const unsigned n = this->count(this->arrays_.node);
    if (n == 0) return;
    image::with_kept_type<S>(this->counts().rounded_nodes, [&](auto kept) {
      using Kept = decltype(kept);
      kernels::launch(fill_nodes_kernel<Kept, S, Index>, kernels::one_warp_each(n * warps_of_nodes), this->view(), n, f.rows,
                      reinterpret_cast<Kept *>(this->arrays_.node_value.data()), f.misfits);
    });
  }
};

} // namespace petscspmv::ccoo::device
