#pragma once

/// \file bccoo_device_tuning.hpp
/// The numbers of the format on a device, each with the measurement that chose it.

#include "impls/bccoo/bccoo_tuning.hpp"
#include "kernels/device/cost_tuning.hpp"

namespace petscspmv::bccoo::tuning {

// Warps of a block of threads.
inline constexpr unsigned device_warps = 2;

// Warps that a multiprocessor shall hold, for registers are kept so few: by the side of blocks that are squares of raw
// values, and of all others as of the side that follows. H200, cold, microseconds, 27-point with so many unknowns a
// node, all values different: with 2, of 32 blocks a lane, 32 warps 103, 24 92.5; with 3, of 16, 24 warps 143.1, 18
// 142.8; with 4, of 8, 20 warps 83.7, 16 84.9; with 6, of 8, 16 warps 60.2, 12 60.6. An unstructured mesh of 150,000
// nodes with 3, of 32: 32 warps 52.1, 24 50.9, 18 52.6. Columns asked for a piece ahead, values before x, and x by two
// numbers at a time made no difference.
constexpr unsigned device_warps_at_a_time(int side)
{
  return side <= 1 ? 32 : side <= 3 ? 24 : side <= 4 ? 20 : 16;
}
inline constexpr int device_other_side = 5;

// Pieces of 16 bytes of a lane that are on their way together, about.
inline constexpr int device_pieces_together = 12;

// Bits of a word of flags, by the values of a block and the blocks of a block row. H200, cold, microseconds with words
// of 8, 16 and 32 bits, in one run: 1 x 1, bands of 1 28.8, 34.1, 36.0, of 2 39.4, 37.8, 57.4, of 3 36.6, 32.6, 32.6,
// of 4 34.4, 29.1, 35.9, of 6 33.8, 29.1, 26.6, 5-point 61.8, 51.6, 51.2, 7-point 76.5, 64.4, 61.0, an unstructured
// mesh 74.1, 60.1, 54.0; 2 x 2, bands of 1 24.0, 26.4, 26.5, of 2 31.0, 37.5, 48.4, of 4 35.0, 34.6, 38.2, 5-point
// 83.7, 81.9, 82.0, 7-point on 76, 80 and 92 cubed 37.8, 36.7, 43.3; 43.0, 41.8, 45.7; 62.2, 59.3, 67.8, 27-point 33.1,
// 32.5, 34.8, meshes of 150,000 and 250,000 nodes 27.6, 25.4, 25.0; 42.1, 38.7, 40.4; 3 x 3, 5-point 89.0, 91.7, 99.5,
// 7-point 42.6, 47.3, 45.0, 27-point 58.9, 59.9, 64.0, meshes of 100,000 and 150,000 nodes 33.3, 36.3, 33.7; 47.5,
// 46.0, 46.3; 4 x 4, bands of 1 23.8, 23.8, 23.6, of 2 44.5, 36.7, 36.3; 6 x 6, a mesh 34.5, 35.2, 40.2. In another
// run, 4 x 4, meshes of 60,000, 90,000 and 120,000 nodes 33.3, 32.2, 35.7; 48.4, 49.4, 47.6; 61.1, 60.0, 60.7, 27-point
// 43.3, 46.8, 44.2.
constexpr int device_flag_bits(int values, double blocks_of_a_row)
{
  if (values == 1) return blocks_of_a_row < 1.5 ? 8 : blocks_of_a_row < 5 ? 16 : 32;
  if (values <= 4) return blocks_of_a_row < 2.5 ? 8 : 16;
  return values <= 9 && blocks_of_a_row >= 10 ? 16 : 8;
}

// Tiles that a matrix shall have for words of more bits than eight.
inline constexpr std::int64_t device_least_tiles = 2048;

// Whether sums of block rows wait in registers if nobody says where. H200, cold, microseconds in registers and in
// shared memory (before places of it were left out, see below), with words of flags of 32, 16 and 8 bits for blocks of
// up to 4, up to 9 and more values: unstructured meshes with 1, 2, 3 and 6 unknowns a node 59.7 53.3, 26.4 25.4, 47.9
// 46.1, 50.3 48.4; 7-point with 1, 2 and 3 67.6 60.9, 50.2 51.6, 48.0 47.9; 27-point with 2 and 3 35.8 31.6, 61.0 59.6;
// rows of two and of four entries anywhere 77.9 44.5, 46.4 40.4; twins of mc2depi 19.3 14.1, webbase-1M 39.2 30.0, cant
// 18.1 17.8, pdb1HYS 23.5 21.8. Lanes that end write to rows that are far apart. With words of 8 bits, a mesh of one
// unknown takes 71.4 in registers and 74.4 in shared memory, but less with longer words; bands of blocks of 2 x 2, a
// fifth of whose values are zeros, 10 or 15 in a block row, with 32 bits 80.5 85.7, 111.8 117.8, and with 16 bits 81.7
// 80.2, 115.3 113.7; one block of 8 x 8 a row 47.2 50.4, two 71.3 64.6.
inline constexpr bool device_sums_in_registers = false;

// Sums after which one place of the cache is left out: 16 doubles are all banks once. H200, cold, microseconds without
// and with that, words of flags as above: bands of one block a row of 1 x 1, 2 x 2, 4 x 4, 6 x 6 and 8 x 8 29.8 28.1,
// 36.4 23.9, 27.1 23.7, 52.7 42.8, 50.6 44.9, of two 39.5 39.4, 36.4 31.0, 54.0 44.8, -, 64.0 61.1; 7-point with two
// unknowns a node on 76, 80 and 92 cubed 39.3 36.7, 45.5 41.8, 61.6 59.3, with one 61.1 61.1, with three 43.4 43.1;
// 5-point with one and two 55.8 51.8, 84.9 82.0; 27-point with two and three 31.5 32.5, 59.5 59.6; meshes with 1, 2, 3
// and 6 53.3 54.1, 26.8 25.9, 46.0 46.3, 34.5 34.6.
inline constexpr int device_cache_line = 16;

// Bytes of sums that a tile may have in shared memory, for words of more bits than eight.
inline constexpr std::int64_t device_most_staged = 8192;

// The share of a tile up to which block rows lie in one tile, whose other lanes then have nothing to do; and the same
// for matrices of so many bytes as CSR, whose products take as long as the way of one tile does, so that the parts of
// cut rows should not have to wait for each other.
inline constexpr std::uint32_t device_whole_share = 4;
inline constexpr std::int64_t  device_small_bytes = std::int64_t(4) << 20;

// Bytes of x in a slice, and blocks of a block row in one. H200, cold, microseconds with 1, 2, 4, 8 and 16 slices,
// columns drawn at random: 300 in each of 100,000 rows, x 64 MB 527, 317, -, 256, -, x 32 MB 304, 255, 250, 249, 250;
// of 60,000 rows, x 12 MB 156, 154, 152; 40 in each of 500,000 rows, x 64 MB 339, 230, 198, 202, 247.
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
