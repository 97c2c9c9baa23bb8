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
// Of short block rows, many end in a lane. In one other run, with so many blocks in a block row: 1 x 1, bands of 1 39.3, 64.9, 56.1, of 2 45.1, 49.1, 85.7, of 4
// 88.6, 76.7, 87.0, of 6 94.3, 81.1, 73.9; 2 x 2, 7-point on 76, 84, 92 and 104 cubed 40.5, 39.4, 48.5; 50.2, 49.7, 52.6; 64.0, 61.2, 65.0; 88.5, 85.9, 90.8, meshes of
// 200,000, 250,000 and 300,000 nodes (15 in a row) 34.7, 32.8, 33.2; 42.1, 39.9, 41.8; 49.3, 45.9, 47.4; 3 x 3, 7-point on 58, 64, 68 and 76 cubed 33.8, 37.6, 35.8; 43.3,
// 47.9, 45.1; 50.2, 50.8, 53.2; 67.5, 69.3, 74.7, meshes of 75,000, 100,000, 125,000 and 250,000 nodes 26.6, 25.2, 28.8; 33.3, 36.2, 33.7; 40.4, 40.2, 40.5; 75.7, 73.5, 76.0.
constexpr int device_flag_bits(int values, double blocks_of_a_row)
{
  if (values == 1) return blocks_of_a_row < 2.5 ? 8 : blocks_of_a_row < 5 ? 16 : 32;
  if (values <= 4) return blocks_of_a_row < 20 ? 16 : 32;
  return values <= 9 && blocks_of_a_row >= 10 ? 16 : 8;
}
// Tiles that a matrix shall have for words of more bits than eight.
inline constexpr std::int64_t device_least_tiles = 2048;

// Whether sums of block rows wait in registers if nobody says where. H200, cold, microseconds in registers and in shared memory, with the words of flags
// that follow from the matrix: unstructured meshes with 1, 2, 3 and 6 unknowns a node 59.7 53.3, 26.4 25.4, 47.9 46.1, 50.3 48.4; 7-point with 1, 2 and 3
// 67.6 60.9, 50.2 51.6, 48.0 47.9; 27-point with 2 and 3 35.8 31.6, 61.0 59.6; rows of two and of four entries anywhere 77.9 44.5, 46.4 40.4; twins of mc2depi
// 19.3 14.1, webbase-1M 39.2 30.0, cant 18.1 17.8, pdb1HYS 23.5 21.8. Lanes that end write to rows that are far apart. With words of 8 bits, meshes of one
// unknown take 71.4 in registers and 74.4 in shared memory, but less with longer words; bands of blocks of 2 x 2, half of which are zeros, 10 or 15 in a block
// row, with 32 bits 80.5 85.7, 111.8 117.8, and with 16 bits 81.7 80.2, 115.3 113.7.
inline constexpr bool device_sums_in_registers = false;

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
