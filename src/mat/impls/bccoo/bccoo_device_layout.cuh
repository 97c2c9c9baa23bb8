#pragma once

/// \file bccoo_device_layout.cuh
/// A matrix in blocks on a device as its kernels see it.

#include "impls/bccoo/bccoo_image.hpp"
#include "kernels/device/pieces.cuh"
#include "kernels/device/product.cuh"
#include "kernels/device/scalar.cuh"

namespace petscspmv::bccoo::device {

using kernels::DeviceComplex;

/// The arrays of an image, and what a product writes besides y. S is the device's scalar.
template <class S> struct Layout {
  const image::Tile   *tile;
  unsigned             tiles;
  const std::uint8_t  *flags;
  const std::byte     *column, *value;
  const S             *table;
  const std::uint8_t  *mask;
  const std::uint64_t *mask_begin;
  const Local         *filled; ///< null if all block rows have blocks
  const Local         *vacant;
  unsigned             vacants;
  const image::CutRow *cut;
  unsigned             cuts;
  S                   *part; ///< [tiles][2][height] of the block row that began before, and of the one that goes on; if there are cut rows
  Local                rows, cols;    ///< rows that are written: those of all slices
  int                  height, width; ///< of a block
  int                  flag_bits;
  unsigned             most_ends;
};

template <class S> using Product = kernels::DeviceProduct<Layout<S>, S>;

/// The word of flags of a lane.
template <class S> __device__ std::uint32_t load_flags(const Layout<S> &a, unsigned tile, int lane)
{
  const std::size_t at = std::size_t(tile) * image::lanes + lane;
  if (a.flag_bits == 8) return __ldg(a.flags + at);
  if (a.flag_bits == 16) return __ldg(reinterpret_cast<const std::uint16_t *>(a.flags) + at);
  return __ldg(reinterpret_cast<const std::uint32_t *>(a.flags) + at);
}

/// Where block b of a tile is.
__device__ inline image::Place place_of_block(const image::Tile &t, int b)
{
  return image::place_in_tile(b, t.lane_blocks, t.scattered_lanes);
}

/// Of the mask of a block.
template <class S> __device__ int bytes_of_mask(const Layout<S> &a)
{
  return static_cast<int>(mask_bytes({a.height, a.width}));
}

/// The first row of a segment.
template <class S> __device__ Local first_row(const Layout<S> &a, Local segment)
{
  return (a.filled ? __ldg(a.filled + segment) : segment) * a.height;
}

/// Of the part of a cut block row that a tile has: `tail` if it goes on.
template <class S> __device__ S *part_of(const Layout<S> &a, unsigned tile, bool tail)
{
  return a.part + (std::size_t(tile) * 2 + tail) * a.height;
}

} // namespace petscspmv::bccoo::device
