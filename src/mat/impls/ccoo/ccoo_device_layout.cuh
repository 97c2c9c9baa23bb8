#pragma once

/// \file ccoo_device_layout.cuh
/// A matrix on a device as its kernels see it.

#include "impls/ccoo/ccoo_image.hpp"
#include "kernels/device/pieces.cuh"
#include "kernels/device/product.cuh"
#include "kernels/device/scalar.cuh"

namespace petscspmv::ccoo::device {

using kernels::DeviceComplex;
using kernels::load_16;
using kernels::load_piece;

/// Entries of x, which are real numbers, in 128 bytes: x of a plane is brought from a multiple of these on to one in
/// shared memory.
inline constexpr int slide_line = 16;

/// Steps of the warps of a local tile before this one.
__device__ inline unsigned local_steps_before(const image::LocalTile &t, int warp)
{
  constexpr unsigned  ones  = 0x01010101; // each byte once
  const std::uint64_t below = *reinterpret_cast<const std::uint64_t *>(t.steps) & ((std::uint64_t(1) << 8 * warp) - 1);
  return __dp4a(static_cast<unsigned>(below), ones, __dp4a(static_cast<unsigned>(below >> 32), ones, 0U));
}

/// What a chunk knows of rows that are cut.
template <class S> struct Parts {
  S head, tail; ///< of the row that began before, of the one that goes on
};

/// The arrays of an image, and what a product writes besides y. S is the device's scalar.
template <class S> struct Layout {
  const image::Unit           *unit;
  unsigned                     units;
  const image::Pattern        *pattern;
  const image::Slot<S>        *slot;
  const std::uint32_t         *lanes_of_slots;
  const S                     *pattern_value, *unit_value;
  const image::RepeatedTile   *repeated;
  unsigned                     repeats;
  const std::uint16_t         *repeated_word;
  const S                     *repeated_value;
  const Local                 *repeated_offset;
  const std::int16_t          *repeated_place;
  const image::RepeatedWindow *repeated_window;
  unsigned                     most_kept;
  const image::LocalTile      *local;
  unsigned                     locals;
  const Local                 *local_sector;
  const std::uint8_t          *local_row;
  const std::uint16_t         *local_place;
  const std::uint8_t          *local_code;
  const S                     *local_value;
  const image::Chunk          *chunk;
  unsigned                     chunks;
  const std::uint32_t         *chunk_order;
  const std::uint16_t         *end, *gap;
  const std::byte             *column, *value;
  const Local                 *hot;
  unsigned                     hots;
  S                           *hot_x; ///< [hots] x of the hot columns, side by side
  const S                     *table;
  const image::Slide          *slide;
  unsigned                     slides;
  const image::SlideData      *slide_data;
  Local                        cols, stride, slide_low;
  int                          slide_room;                  ///< entries of x of a plane in shared memory
  int                          slide_chains, slide_singles; ///< of a pattern
  const image::NodeUnit       *node;
  const image::NodeLane       *node_lane;
  const std::byte             *node_column;
  const S                     *node_value;
  const image::CutRow         *cut;
  const std::uint32_t         *cut_order;
  unsigned                     cuts, short_cuts;
  Parts<S>                    *part;    ///< [chunks]
  unsigned                    *arrived; ///< [cut rows] zero between products
  unsigned                     most_ends;
};

template <class S> using Product = kernels::DeviceProduct<Layout<S>, S>;

} // namespace petscspmv::ccoo::device
