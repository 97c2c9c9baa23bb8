#pragma once

/// \file bccoo_device_tuning.hpp
/// The numbers of the format on a device, each with the measurement that chose it.

#include "impls/bccoo/bccoo_tuning.hpp"
#include "kernels/device_cost_tuning.hpp"

namespace petscspmv::bccoo::tuning {

// Warps of a block of threads.
inline constexpr unsigned device_warps = 2;

// Warps that a multiprocessor shall hold, for registers are kept so few: by the side of blocks that are squares of raw values, and of all others as of the
// side that follows. H200, cold, microseconds, 27-point with so many unknowns a node, all values different: with 2, of 32 blocks a lane, 32 warps
// 103, 24 92.5; with 3, of 16, 24 warps 143.1, 18 142.8; with 4, of 8, 20 warps 83.7, 16 84.9; with 6, of 8, 16 warps 60.2, 12 60.6. An unstructured mesh of
// 150,000 nodes with 3, of 32: 32 warps 52.1, 24 50.9, 18 52.6. Columns asked for a piece ahead, values before x, and x by two numbers at a time
// made no difference.
constexpr unsigned device_warps_at_a_time(int side)
{
  return side <= 1 ? 32 : side <= 3 ? 24 : side <= 4 ? 20 : 16;
}
inline constexpr int device_other_side = 5;

// Pieces of 16 bytes of a lane that are on their way together, about.
inline constexpr int device_pieces_together = 12;

// Bits of a word of flags, by the values of a block. Words of 8, 16 and 32 bits, microseconds as above: one unknown a node (an unstructured mesh of a million)
// 77, 64, 60; two 98, 94, 92; three 143, 143, 150, and the mesh 52.8, 53.3, 51.1; four 83.9, 86.7, 87.2; six 59.9, 61.3, 60.9.
constexpr int device_flag_bits(int values)
{
  return values <= 4 ? 32 : values <= 9 ? 16 : 8;
}
// Tiles that a matrix shall have for words of more bits than eight.
inline constexpr std::int64_t device_least_tiles = 2048;

// Bytes of sums that a tile may have in shared memory, for words of more bits than eight.
inline constexpr std::int64_t device_most_staged = 8192;

// The share of a tile up to which block rows lie in one tile, whose other lanes then have nothing to do; and the same for matrices of so many bytes as
// CSR, whose products take as long as the way of one tile does, so that the parts of cut rows should not have to wait for each other.
inline constexpr std::uint32_t device_whole_share = 4;
inline constexpr std::int64_t  device_small_bytes = std::int64_t(4) << 20;

// Bytes of x in a slice, and blocks of a block row in one. H200, cold, microseconds with 1, 2, 4, 8
// and 16 slices, columns drawn at random: 300 in each of 100,000 rows, x 64 MB 527, 317, -, 256, -, x 32 MB 304, 255, 250, 249, 250; of 60,000 rows, x 12 MB
// 156, 154, 152; 40 in each of 500,000 rows, x 64 MB 339, 230, 198, 202, 247.
inline constexpr Slices device_slices{.bytes = std::int64_t(16) << 20, .blocks = 10};

// Values, about, that have one coding: those of a tile are too few to tell whether they repeat.
inline constexpr std::int64_t device_values_alike = 32768, device_alike_together = 16;

// Predicted nanoseconds of the whole of an H200.
inline constexpr Cost device_cost{.block    = 0.001,
                                  .vector   = 0,
                                  .x        = 0,
                                  .crossing = 0,
                                  .row      = 0.001,
                                  .sum      = 0,
                                  .delta    = 0,
                                  .byte     = kernels::tuning::device_byte,
                                  .stream   = kernels::tuning::device_byte,
                                  .decode   = kernels::tuning::device_decode};

} // namespace petscspmv::bccoo::tuning
