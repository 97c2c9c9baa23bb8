#pragma once

/// \file bccoo_device_fill.cuh
/// Values of the tiles of an image, taken on the device from the entries of the matrix: when the image is made, and
/// when they have changed.
///
/// A warp takes a tile, as in a product. How many entries of each row a lane has before it is found as sums of block
/// rows are: each lane counts those of its last block row, and a scan over the warp adds what the lanes below have of
/// it.

#include "impls/bccoo/bccoo_device_values.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/device/segments.cuh"
#include "kernels/device/values.cuh"

namespace petscspmv::bccoo::device {

using kernels::same_bits;
using kernels::write_single;

/// Where a tile's new values come from and go to.
template <class S, class Index> struct Source {
  const Index        *row_ptr;
  const S            *val;
  const std::int64_t *begin;         ///< [block rows that go on][height] entries with which tiles go on
  std::byte          *value;         ///< the image's
  S                  *table;         ///< the image's
  unsigned            table_entries; ///< in all tables
};

/// What becomes of values that have codes. New ones keep the codes of the old ones: those that had one value still do,
/// as a rule, be it another one. So tables take their values from any entry of each code, and then all are compared
/// with them.
enum class Codes { written, renewed, checked };

/// The values of a tile, by a warp.
template <Codes codes, class S, class Index> class TileFill {
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
    int          segment = kernels::scan_over_lanes(__popc(flags_), lane_) - __popc(flags_);
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
    if (!masks_) return ~std::uint64_t(0) >> (64 - a_.height * a_.width);
    const int     bytes = bytes_of_mask(a_);
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
        if (i < a_.height) {
          const bool is_entry = mask >> (j * a_.height + i) & 1;
          put((k * a_.width + j) * a_.height + i, is_entry ? from_.val[at_[i]++] : S(0), is_entry);
        }
  }

  /// Value v of the lane.
  __device__ void put(int v, S value, bool is_entry)
  {
    std::byte *const out   = from_.value + std::size_t(t_.value) * image::grain;
    const auto       place = [&](int each) { return std::size_t(v / each * image::lanes + lane_) * each + v % each; };
    if constexpr (codes != Codes::written) {
      if (const int code = code_at(out, place); code >= 0) {
        S &known = from_.table[t_.table + code];
        if (same_bits(known, value)) return;
        if (codes == Codes::checked) fits_ = false;
        else if (is_entry) known = value;
        return;
      }
      if (codes == Codes::renewed) return;
    }
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
    case Coding::table16:
      put_half(out, place(Values<Coding::table16, S>::each), code_of(value, 16));
      return;
    case Coding::table256:
      out[place(Values<Coding::table256, S>::each)] = static_cast<std::byte>(code_of(value, 256));
      return;
    default:
      fits_ = false; // longer tables are looked through on the host
    }
  }

  /// The code of a value; -1 if it has none.
  template <class Place> __device__ int code_at(const std::byte *out, const Place &place) const
  {
    switch (static_cast<Coding>(t_.coding)) {
    case Coding::constant:
      return 0;
    case Coding::table16: {
      const std::size_t at = place(Values<Coding::table16, S>::each);
      return static_cast<int>(out[at / 2]) >> 4 * (at % 2) & 15;
    }
    case Coding::table256:
      return static_cast<int>(out[place(Values<Coding::table256, S>::each)]);
    default:
      return -1;
    }
  }

  /// Four bits; the others of the byte are the lane's, too.
  __device__ static void put_half(std::byte *out, std::size_t at, int code)
  {
    auto &both = reinterpret_cast<std::uint8_t *>(out)[at / 2];
    both       = static_cast<std::uint8_t>(at % 2 == 0 ? (both & 0xf0) | code : (both & 0x0f) | code << 4);
  }

  /// The place of a value in the table, which ends where that of all tables does at the latest: what is behind it is
  /// another value's place at most.
  __device__ int code_of(S value, unsigned most)
  {
    const unsigned n = min(most, from_.table_entries - t_.table);
    for (unsigned k = 0; k < n; ++k)
      if (same_bits(kernels::load_shared(a_.table + t_.table + k), value)) return static_cast<int>(k);
    fits_ = false;
    return 0;
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
template <Codes codes, class S, class Index> __global__ void fill_kernel(Layout<S> a, Source<S, Index> from, unsigned *misfits)
{
  const unsigned i = kernels::warp_number();
  if (i >= a.tiles) return;
  if (!TileFill<codes, S, Index>(a, i, from).run()) *misfits = 1;
}

} // namespace petscspmv::bccoo::device
