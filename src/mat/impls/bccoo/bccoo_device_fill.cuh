#pragma once

/// \file bccoo_device_fill.cuh
/// New values for the tiles of an image, taken on the device from the entries of the matrix, whose pattern is still the same.
///
/// A warp takes a tile, as in a product. How many entries of each row a lane has before it is found as sums of block rows are: each lane counts those
/// of its last block row, and a scan over the warp adds what the lanes below have of it.

#include "impls/bccoo/bccoo_device_values.cuh"
#include "kernels/device_coding.cuh"
#include "kernels/device_launch.cuh"
#include "kernels/device_open_sums.cuh"

namespace petscspmv::bccoo::device {

using kernels::same_bits;
using kernels::write_single;

/// Where a tile's new values come from and go to.
template <class S, class Index> struct Source {
  const Index        *row_ptr;
  const S            *val;
  const std::int64_t *begin; ///< [block rows that go on][height] entries with which tiles go on
  std::byte          *value; ///< the image's
};

/// The values of a tile, by a warp.
template <class S, class Index> class TileFill {
  using Counts = kernels::OpenSums<unsigned, longest_side>;

public:
  __device__ TileFill(const Layout<S> &a, unsigned tile, const Source<S, Index> &from)
    : a_(a), from_(from), t_(kernels::load_16(a.tile + tile)), lane_(threadIdx.x % image::lanes), flags_(load_flags(a, tile, lane_)),
      blocks_(t_.scattered_lanes ? t_.lane_blocks : min(max(t_.blocks - lane_ * t_.lane_blocks, 0), int(t_.lane_blocks))),
      masks_(t_.zeros ? a.mask + a.mask_begin[tile] : nullptr)
  {
  }

  /// False if a value does not fit the coding of the tile.
  __device__ bool run()
  {
    if (t_.scattered_lanes) run_scattered();
    else run_consecutive();
    return fits_;
  }

private:
  __device__ void run_consecutive()
  {
    Counts open{};
    open.ended = flags_ != 0;
    for (int k = 0; k < blocks_; ++k) {
      count(mask_of(lane_ * t_.lane_blocks + k), open);
      if (flags_ >> k & 1)
        for (unsigned &n : open.sum) n = 0;
    }
    open.scan(lane_);
    const Counts before  = open.before(lane_);
    int          segment = __popc(flags_);
#pragma unroll
    for (int d = 1; d < image::lanes; d *= 2) {
      const int below = __shfl_up_sync(~0u, segment, d);
      if (lane_ >= d) segment += below;
    }
    segment -= __popc(flags_);
    go_to(segment, before);
    for (int k = 0; k < blocks_; ++k) {
      put_block(k, mask_of(lane_ * t_.lane_blocks + k));
      if (flags_ >> k & 1) go_to(++segment, Counts{});
    }
  }

  /// The blocks of one segment, dealt out one by one.
  __device__ void run_scattered()
  {
    Counts done{}; // by the steps before
    for (int k = 0; k < blocks_; ++k) {
      const std::uint64_t mask = mask_of(k * image::lanes + lane_);
      Counts              open{};
      count(mask, open);
      open.scan(lane_);
      Counts before = open.before(lane_);
      for (int i = 0; i < longest_side; ++i) before.sum[i] += done.sum[i];
      go_to(0, before);
      put_block(k, mask);
      for (int i = 0; i < longest_side; ++i) done.sum[i] += __shfl_sync(~0u, open.sum[i], image::lanes - 1);
    }
  }

  /// Of block b of the tile, see mask_bytes().
  __device__ std::uint64_t mask_of(int b) const
  {
    const int size = a_.height * a_.width;
    if (!masks_) return ~std::uint64_t(0) >> (64 - size);
    const int     bytes = size <= 8 ? 1 : size <= 16 ? 2 : size <= 32 ? 4 : 8;
    std::uint64_t mask  = 0;
    for (int i = 0; i < bytes; ++i) mask |= std::uint64_t(masks_[b * bytes + i]) << 8 * i;
    return mask;
  }

  /// Adds the entries of a block's rows.
  __device__ void count(std::uint64_t mask, Counts &to) const
  {
    for (int j = 0; j < a_.width; ++j)
      for (int i = 0; i < longest_side; ++i)
        if (i < a_.height) to.sum[i] += mask >> (j * a_.height + i) & 1;
  }

  /// On to a segment of the tile, of whose rows so many entries are done.
  __device__ void go_to(int segment, const Counts &done)
  {
    if (segment >= t_.segments) return;
    const Local row  = first_row(a_, t_.segment + segment);
    const bool  late = segment == 0 && t_.continues;
    for (int i = 0; i < longest_side; ++i)
      if (i < a_.height && row + i < a_.rows)
        at_[i] = (late ? from_.begin[std::size_t(t_.begin) * a_.height + i] : std::int64_t(from_.row_ptr[row + i])) + done.sum[i];
  }

  __device__ void put_block(int k, std::uint64_t mask)
  {
    for (int j = 0; j < a_.width; ++j)
      for (int i = 0; i < longest_side; ++i)
        if (i < a_.height && (mask >> (j * a_.height + i) & 1)) put((k * a_.width + j) * a_.height + i, from_.val[at_[i]++]);
  }

  /// Value v of the lane.
  __device__ void put(int v, S value)
  {
    std::byte *const out   = from_.value + std::size_t(t_.value) * image::grain;
    const auto       place = [&](int each) { return std::size_t(v / each * image::lanes + lane_) * each + v % each; };
    switch (static_cast<Coding>(t_.coding)) {
    case Coding::raw:
      reinterpret_cast<S *>(out)[place(Values<Coding::raw, S>::each)] = value;
      return;
    case Coding::single:
      fits_ = write_single(out, place(Values<Coding::single, S>::each), value) && fits_;
      return;
    case Coding::constant:
      fits_ = same_bits(a_.table[t_.table], value) && fits_;
      return;
    default:
      fits_ = false; // tables are looked through on the host
    }
  }

  const Layout<S>          &a_;
  const Source<S, Index>   &from_;
  const image::Tile         t_;
  const int                 lane_;
  const std::uint32_t       flags_;
  const int                 blocks_;
  const std::uint8_t *const masks_;
  std::int64_t              at_[longest_side] = {}; ///< the next entry of each row
  bool                      fits_             = true;
};

/// A warp for each tile. The mark is set where the coding of a tile cannot keep one of its values.
template <class S, class Index> __global__ void fill_kernel(Layout<S> a, Source<S, Index> from, unsigned *misfits)
{
  const unsigned i = kernels::warp_number();
  if (i >= a.tiles) return;
  if (!TileFill<S, Index>(a, i, from).run()) *misfits = 1;
}

} // namespace petscspmv::bccoo::device
