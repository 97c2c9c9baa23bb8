#pragma once

/// \file bccoo_device_kernels.cuh
/// y = alpha op(A) x + beta y on a device: a warp for each tile.
///
/// A lane adds its blocks in registers (bccoo_device_lanes.cuh); what is open at its end goes to the next lanes by one
/// scan over the warp, of as many steps as the longest block row of the tile takes. Sums wait in registers or in shared
/// memory (bccoo_device_sums.cuh): both add in the same order. Parts of block rows that lie in several tiles are added
/// by a second kernel, in the order of the tiles.

#include "impls/bccoo/bccoo_device_lanes.cuh"
#include "impls/bccoo/bccoo_device_sums.cuh"
#include "kernels/device/segments.cuh"

namespace petscspmv::bccoo::device {

/// Which blocks and values a kernel is for.
enum class Form {
  raw_squares, ///< h x h, raw
  squares,     ///< h x h, of any coding
  blocks,      ///< of h rows and any width, of any coding
};

/// A tile whose blocks have h rows, and the warp that multiplies it: what both strategies for sums
/// (bccoo_device_sums.cuh) begin with.
template <int h, Form form, class S> class TileOfWarp {
protected:
  __device__ TileOfWarp(const Product<S> &p, unsigned tile)
    : p_(p), number_(tile), tile_(kernels::load_16(p.a.tile + tile)),
      mine_(lane_blocks(p.a, tile_, load_flags(p.a, tile, threadIdx.x % image::lanes)))
  {
    const int ends = kernels::scan_over_lanes(__popc(mine_.flags), mine_.lane);
    first_         = ends - __popc(mine_.flags);
    all_           = __shfl_sync(~0u, ends, image::lanes - 1);
  }

  /// What the lane's blocks add up to; what is open at its end stays in `open`.
  template <class Ends> __device__ void add(Ends &ends, kernels::OpenSums<S, h> &open) const
  {
    with_values<form == Form::raw_squares>(p_.a, tile_, [&](const auto &values) {
      if constexpr (form == Form::blocks) add_blocks<h>(p_, tile_, mine_, values, ends, open.sum);
      else add_squares<h>(p_, tile_, mine_, values, ends, open.sum);
    });
  }

  /// The same by the entries alone.
  template <class Ends> __device__ void add_entries_alone(Ends &ends, kernels::OpenSums<S, h> &open) const
  {
    S sum[h];
    add_entries<h>(p_, number_, tile_, mine_, ends, sum);
#pragma unroll
    for (int r = 0; r < h; ++r) open.sum[r] = sum[r];
  }

  /// What the lanes below have open for the first sum of this one.
  __device__ kernels::OpenSums<S, h> scan(kernels::OpenSums<S, h> &open) const
  {
    open.ended = mine_.flags != 0;
    open.scan(mine_.lane);
    return open.before(mine_.lane);
  }

  __device__ void write_open(const kernels::OpenSums<S, h> &open) const
  {
    if (!tile_.goes_on || mine_.lane != image::lanes - 1) return;
#pragma unroll
    for (int r = 0; r < h; ++r) part_of(p_.a, number_, true)[r] = open.sum[r];
  }

  const Product<S> &p_;
  const unsigned    number_;
  const image::Tile tile_;
  const LaneBlocks  mine_;
  int               first_; ///< of the lane's ends of segments among those of the tile
  int               all_;   ///< ends in the tile

private:
  __device__ static LaneBlocks lane_blocks(const Layout<S> &a, const image::Tile &t, std::uint32_t flags)
  {
    const int lane = threadIdx.x % image::lanes;
    return {lane, t.scattered_lanes ? t.lane_blocks : min(max(t.blocks - lane * t.lane_blocks, 0), int(t.lane_blocks)), flags};
  }
};

/// With all sums in shared memory: h for each segment that may end in a tile.
template <int h, Form form, class S> class CachedTile : TileOfWarp<h, form, S> {
  using Base = TileOfWarp<h, form, S>;
  using Base::p_, Base::number_, Base::tile_, Base::mine_, Base::first_, Base::all_;

public:
  __device__ CachedTile(const Product<S> &p, unsigned tile, S *sums) : Base(p, tile), sums_(sums) { }

  __device__ void run()
  {
    kernels::OpenSums<S, h> open{};
    CachedSums<h, S>        ends(sums_, first_ * h);
    this->add(ends, open);
    __syncwarp();
    join(open);
    // Zero times an infinity is a NaN, too: no other sum can be wrong.
    if (tile_.zeros && any_nan(open)) {
      CachedSums<h, S> again(sums_, first_ * h);
      this->add_entries_alone(again, open);
      __syncwarp();
      join(open);
    }
    write(open);
  }

private:
  /// Adds what the lanes below have open to the first sum of each lane.
  __device__ void join(kernels::OpenSums<S, h> &open) const
  {
    const kernels::OpenSums<S, h> before = this->scan(open);
    if (mine_.flags != 0) {
#pragma unroll
      for (int r = 0; r < h; ++r) sum(first_ * h + r) = before.sum[r] + sum(first_ * h + r);
    }
    __syncwarp();
  }

  __device__ bool any_nan(const kernels::OpenSums<S, h> &open) const
  {
    bool nan = false;
    for (int k = mine_.lane; k < all_ * h; k += image::lanes) nan = nan || is_nan(sum(k));
    return __any_sync(~0u, nan || (tile_.goes_on && is_any_nan(open.sum)));
  }

  __device__ void write(const kernels::OpenSums<S, h> &open) const
  {
    const int begin = tile_.continues && all_ > 0 ? h : 0;
    if (mine_.lane < begin) part_of(p_.a, number_, false)[mine_.lane] = sum(mine_.lane);
    this->write_open(open);
    for (int k = begin + mine_.lane; k < all_ * h; k += image::lanes) {
      const Local row = first_row(p_.a, tile_.segment + k / h) + k % h;
      if (row < p_.a.rows) p_.update(row, sum(k));
    }
  }

  /// Number k of the tile's.
  __device__ S &sum(int k) const
  {
    return sums_[cache_place(k)];
  }

  S *const sums_;
};

/// With the first sum of each lane in registers.
template <int h, Form form, class S> class KeptTile : TileOfWarp<h, form, S> {
  using Base = TileOfWarp<h, form, S>;
  using Base::p_, Base::number_, Base::tile_, Base::mine_, Base::first_;

public:
  __device__ KeptTile(const Product<S> &p, unsigned tile) : Base(p, tile) { }

  __device__ void run()
  {
    kernels::OpenSums<S, h> open{};
    KeptSums                ends = kept(AllButDoubtful{tile_.zeros != 0});
    this->add(ends, open);
    join(ends.first, open);
    if (tile_.zeros && __any_sync(~0u, ends.rule.doubtful != 0 || is_any_nan(ends.first) || (tile_.goes_on && is_any_nan(open.sum)))) {
      KeptSums again = kept(OnlyDoubtful{ends.rule.doubtful});
      this->add_entries_alone(again, open);
      __syncwarp();
      join(again.first, open);
#pragma unroll
      for (int r = 0; r < h; ++r) ends.first[r] = again.first[r];
    }
    write(ends.first, open);
  }

private:
  template <class Rule> __device__ KeptSums<h, S, Rule> kept(Rule rule) const
  {
    return {p_, tile_.segment + first_, rule};
  }

  __device__ void join(S (&first)[h], kernels::OpenSums<S, h> &open) const
  {
    const kernels::OpenSums<S, h> before = this->scan(open);
    if (mine_.flags == 0) return;
#pragma unroll
    for (int r = 0; r < h; ++r) first[r] = before.sum[r] + first[r];
  }

  __device__ void write(const S (&first)[h], const kernels::OpenSums<S, h> &open) const
  {
    this->write_open(open);
    if (mine_.flags == 0) return;
    if (!tile_.continues || first_ > 0) return write_segment<h>(p_, tile_.segment + first_, first);
#pragma unroll
    for (int r = 0; r < h; ++r) part_of(p_.a, number_, false)[r] = first[r];
  }
};

inline constexpr unsigned threads = tuning::device_warps * image::lanes;

/// How many blocks of threads a multiprocessor shall hold.
template <int h, Form form, class S>
inline constexpr unsigned
  at_a_time = tuning::device_warps_at_a_time(form == Form::raw_squares ? h : tuning::device_other_side) / tuning::device_warps /
              (sizeof(S) / sizeof(double));

/// Tiles, and the rows of block rows without blocks, h threads for each.
template <int h, Form form, bool in_registers, class S>
__global__ void __launch_bounds__(threads, at_a_time<h, form, S>) multiply_kernel(const __grid_constant__ Product<S> p)
{
  extern __shared__ __align__(16) unsigned char shared[];
  const unsigned                                of_tiles = (p.a.tiles + tuning::device_warps - 1) / tuning::device_warps;
  cudaTriggerProgrammaticLaunchCompletion();
  if (blockIdx.x < of_tiles) {
    const unsigned warp = threadIdx.x / image::lanes, i = blockIdx.x * tuning::device_warps + warp;
    if (i >= p.a.tiles) return;
    if constexpr (in_registers) KeptTile<h, form, S>(p, i).run();
    else CachedTile<h, form, S>(p, i, reinterpret_cast<S *>(shared) + warp * cache_size(p.a.most_ends * h)).run();
    return;
  }
  const std::size_t k = std::size_t(blockIdx.x - of_tiles) * threads + threadIdx.x;
  if (k / h >= p.a.vacants) return;
  const Local row = p.a.vacant[k / h] * h + static_cast<Local>(k % h);
  if (row < p.a.rows) p.update.empty(row);
}

/// After multiply_kernel, which it may be launched with: adds the parts of cut block rows, a warp for each.
template <class S> __global__ void __launch_bounds__(threads) join_kernel(const __grid_constant__ Product<S> p)
{
  cudaGridDependencySynchronize();
  const unsigned i    = blockIdx.x * tuning::device_warps + threadIdx.x / image::lanes;
  const int      lane = threadIdx.x % image::lanes;
  if (i >= p.a.cuts) return;
  const image::CutRow cut = p.a.cut[i];
  const Local         row = first_row(p.a, cut.segment);
  for (int r = 0; r < p.a.height && row + r < p.a.rows; ++r) {
    S sum = 0;
#pragma unroll 4
    for (unsigned t = cut.first + lane; t < cut.last; t += image::lanes) sum += kernels::load_fresh(part_of(p.a, t, true) + r);
    sum = kernels::sum_over_lanes(sum, image::lanes);
    if (lane == 0) p.update(row + r, sum + kernels::load_fresh(part_of(p.a, cut.last, false) + r));
  }
}

/// Adds the sums of slices, which are `distance` apart for a row, in their order.
template <class S>
__global__ void add_slices_kernel(const S *sums, Local rows, Local distance, int slices, const kernels::DeviceRowUpdate<S> update)
{
  const Local row = Local(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  S sum = 0;
  for (int s = 0; s < slices; ++s) sum += sums[std::size_t(s) * distance + row];
  update(row, sum);
}

} // namespace petscspmv::bccoo::device
