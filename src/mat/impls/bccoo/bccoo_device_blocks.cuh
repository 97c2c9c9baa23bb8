#pragma once

/// \file bccoo_device_blocks.cuh
/// Flags, columns and masks of the tiles of an image, found on the device from the rows of the matrix, whose columns
/// ascend.
///
/// A warp takes a tile, and each of its lanes one segment after the other. It goes through the blocks of a segment
/// twice: to count them, so that a scan over the warp tells where in the tile they begin, and to write them.

#include <limits>

#include "impls/bccoo/bccoo_device_layout.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/device/memory/rows.cuh"

namespace petscspmv::bccoo::device {

using kernels::RowsView;

/// The blocks of a block row, one after the other, as BlockReader finds them on the host.
template <class S, class Index> class BlockWalk {
  static constexpr Local none = std::numeric_limits<Local>::max();

public:
  /// Of the block row that begins with this row, from its entries `begin`, one for each row, on; from the first ones if
  /// that is null.
  __device__ BlockWalk(const Layout<S> &a, const RowsView<S, Index> &rows, Local row, const std::int64_t *begin) : a_(a), col_(rows.col)
  {
#pragma unroll
    for (int i = 0; i < longest_side; ++i) {
      const bool there = i < a.height && row + i < a.rows;
      at_[i]           = !there ? 0 : begin ? begin[i] : std::int64_t(rows.row_ptr[row + i]);
      end_[i]          = there ? std::int64_t(rows.row_ptr[row + i + 1]) : 0;
      column_[i]       = column(i);
    }
  }

  /// Takes the next block: returns its block column, with the bits of its entries in `mask`, or -1.
  __device__ Local next(std::uint64_t &mask)
  {
    Local least = none;
#pragma unroll
    for (int i = 0; i < longest_side; ++i) least = min(least, column_[i]);
    if (least == none) return -1;
    const Local block = least / a_.width, behind = (block + 1) * a_.width, first = min(block * a_.width, a_.cols - a_.width);
    mask = 0;
#pragma unroll
    for (int i = 0; i < longest_side; ++i)
      for (Local before = -1; column_[i] < behind && column_[i] != before;) { // a column that comes again is in the next block
        before = column_[i];
        mask |= std::uint64_t(1) << ((before - first) * a_.height + i);
        ++at_[i];
        column_[i] = column(i);
      }
    return block;
  }

private:
  __device__ Local column(int i) const
  {
    return at_[i] < end_[i] ? static_cast<Local>(col_[at_[i]]) : none;
  }

  const Layout<S> &a_;
  const Index     *col_;
  std::int64_t     at_[longest_side], end_[longest_side];
  Local            column_[longest_side]; ///< of the next entry of each row
};

/// Where what is found is written, and where tiles go on.
struct BlockRooms {
  std::uint32_t      *flags; ///< zero
  std::byte          *column;
  std::uint8_t       *mask;
  const std::int64_t *begin; ///< [block rows that go on][height] entries
};

/// A segment of a tile, by a thread.
template <class S, class Index> class SegmentBlocks {
public:
  __device__ SegmentBlocks(const Layout<S> &a, unsigned tile, const image::Tile &t, const RowsView<S, Index> &rows, const BlockRooms &to,
                           int segment)
    : a_(a), number_(tile), t_(t), rows_(rows), to_(to), segment_(segment)
  {
  }

  __device__ unsigned count() const
  {
    unsigned      n = 0;
    std::uint64_t mask;
    for (auto blocks = walk(); blocks.next(mask) >= 0;) ++n;
    return n;
  }

  /// As blocks `b`, b + 1, ... of the tile, as far as that has them.
  __device__ void write(int b) const
  {
    auto          blocks = walk();
    std::uint64_t mask;
    for (Local column; b < t_.blocks && (column = blocks.next(mask)) >= 0; ++b) {
      put_column(b, column - t_.least);
      if (t_.zeros) put_mask(b, mask);
    }
    if (t_.goes_on && segment_ + 1 == t_.segments) return;
    const image::Place p   = place_of_block(t_, b - 1);
    const unsigned     bit = p.lane * a_.flag_bits + p.k;
    atomicOr(to_.flags + std::size_t(number_) * a_.flag_bits + bit / 32, 1U << bit % 32);
  }

private:
  __device__ BlockWalk<S, Index> walk() const
  {
    const bool late = segment_ == 0 && t_.continues;
    return {a_, rows_, first_row(a_, t_.segment + segment_), late ? to_.begin + std::size_t(t_.begin) * a_.height : nullptr};
  }

  __device__ void put_column(int b, Local offset) const
  {
    const image::Place p = place_of_block(t_, b);
    const int        at = (p.k / image::columns_of_piece * image::lanes + p.lane) * image::columns_of_piece + p.k % image::columns_of_piece;
    std::byte *const out = to_.column + std::size_t(t_.column) * image::grain;
    if (t_.wide) reinterpret_cast<std::uint32_t *>(out)[at] = static_cast<std::uint32_t>(offset);
    else reinterpret_cast<std::uint16_t *>(out)[at] = static_cast<std::uint16_t>(offset);
  }
  __device__ void put_mask(int b, std::uint64_t mask) const
  {
    const int           bytes = bytes_of_mask(a_);
    std::uint8_t *const out   = to_.mask + a_.mask_begin[number_] + std::size_t(b) * bytes;
    for (int i = 0; i < bytes; ++i) out[i] = static_cast<std::uint8_t>(mask >> 8 * i);
  }

  const Layout<S>          &a_;
  const unsigned            number_;
  const image::Tile        &t_;
  const RowsView<S, Index> &rows_;
  const BlockRooms         &to_;
  const int                 segment_;
};

/// A warp for each tile.
template <class S, class Index> __global__ void find_blocks_kernel(Layout<S> a, RowsView<S, Index> rows, BlockRooms to)
{
  const unsigned i = kernels::warp_number();
  if (i >= a.tiles) return;
  const image::Tile t    = a.tile[i];
  const int         lane = threadIdx.x % image::lanes;
  for (int first = 0, before = 0; first < t.segments; first += image::lanes) {
    const int                     segment = first + lane;
    const SegmentBlocks<S, Index> mine(a, i, t, rows, to, segment);
    const int                     n    = segment + 1 < t.segments ? static_cast<int>(mine.count()) : 0; // nothing is behind the last one
    const int                     upto = before + kernels::scan_over_lanes(n, lane);
    if (segment < t.segments) mine.write(upto - n);
    before = __shfl_sync(~0U, upto, image::lanes - 1);
  }
}

} // namespace petscspmv::bccoo::device
