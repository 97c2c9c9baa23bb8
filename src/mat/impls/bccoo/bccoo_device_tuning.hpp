#pragma once

/// \file bccoo_device_tuning.hpp
/// The numbers of the format on a device, each with the measurement that chose it.

#include "impls/bccoo/bccoo_tuning.hpp"

namespace petscspmv::bccoo::tuning {

// Warps of a block of threads.
inline constexpr unsigned device_warps = 2;

// Warps that a multiprocessor shall hold, for registers are kept so few: by the side of blocks that are squares of raw values, and of all others.
constexpr unsigned device_warps_at_a_time(int side)
{
  return side <= 2 ? 32 : side <= 3 ? 24 : side <= 4 ? 20 : 16;
}

// The side whose number other blocks and other values have.
inline constexpr int device_other_side = 5;

// Pieces of 16 bytes of a lane that are on their way together, about.
inline constexpr int device_pieces_together = 12;

// Tiles that a matrix shall have for lanes to take so many blocks each.
inline constexpr std::int64_t device_least_tiles = 8192;

// Bytes of sums that a tile may have in shared memory, for lanes to take more blocks than the fewest.
inline constexpr std::int64_t device_most_staged = 8192;

// The share of a tile up to which block rows lie in one tile, whose other lanes then have nothing to do; and the same for matrices of so many bytes as
// CSR, whose products take as long as the way of one tile does, so that the parts of cut rows should not have to wait for each other.
inline constexpr std::uint32_t device_whole_share = 4;
inline constexpr std::int64_t  device_small_bytes = std::int64_t(4) << 20;

// Values, about, that have one coding: those of a tile are too few to tell whether they repeat.
inline constexpr std::int64_t device_values_alike = 32768, device_alike_together = 16;

// Predicted nanoseconds of the whole of an H200, as those of ccoo.
inline constexpr Cost device_cost{
  .block = 0.001, .column = 0, .row = 0.001, .delta = 0, .byte = 0.000236, .decode = {0, 0.0001, 0.002, 0.002, 0, 0}};

} // namespace petscspmv::bccoo::tuning
