#pragma once

/// \file ccoo_device_tuning.hpp
/// The numbers of the format on a device, each with the measurement that chose it.

#include "impls/ccoo/ccoo_tuning.hpp"
#include "kernels/device/cost_tuning.hpp"

namespace petscspmv::ccoo {

/// Entries of a chunk on a device: sixteen for each lane of a warp.
inline constexpr std::int64_t device_chunk_entries = 512;

/// Entries of a batch on a device: four for each thread.
inline constexpr int device_batch_threads = 256, device_batch_each = 4, device_batch_entries = device_batch_threads * device_batch_each;

namespace tuning {

// Rows of a tile, at least: 128 nodes of as many rows as there may be.
inline constexpr int device_tile_rows = 6 * 128;
// Rows that a thread looks at together: 128 rows of every size of nodes. There should be several such parts for each of
// 16 threads: an unstructured mesh with three unknowns at 150,000 nodes, 65,280 rows: 130 ms, of which 43 are what 690
// of one thread would be shared.
inline constexpr std::int64_t device_region_rows = std::int64_t(2) * 128 * 60;
// Warps of a block of threads without chunks, and how many a multiprocessor shall hold, for registers are kept so few;
// the last where all slots have one value each; and slots that go together, again the last where all have one value
// each. H200, cold, microseconds for 7-point 160^3 with random values: 8 warps and 32 at a time 85.6, 4 and 28 82.4, 2
// and 24 81.8. 7-point 160^3, 27-point 128^3 and 5-point 2000^2, constant, with two slots together: 8 warps and 40 at a
// time 28.4, 34.4, 27.2, 4 and 40 28.6, 34.5, 26.8, 16 and 48 29.2, 39.0, 26.3, 2 and 64, which spills, 38.0, 40.2,
// 28.7; with five 4 and 32 29.5, 34.7, 25.9; with four 16 and 32 30.9, 35.9, 28.3. Blocks that stay, 32 warps on each
// multiprocessor, which read x of neighbouring rows from its cache: 30.8, 36.6, 23.9.
inline constexpr unsigned device_unit_warps = 4, device_unit_warps_at_a_time = 24, device_by_slot_warps_at_a_time = 32;
inline constexpr int      device_unit_together = 2, device_by_slot_together = 5;
// The same with chunks. An unstructured mesh, a circuit and R-MAT 20: 4 warps and 24 at a time 58.0, 76.3, 153; 28
// 55.1, 74.3, 154; 32, which spills, 55.6, 77.3, 156; 2 warps and 28 54.8, 78.6, 154.
inline constexpr unsigned device_chunk_warps = 4, device_chunk_warps_at_a_time = 28;
// Chunks up to which those that come last add the parts of cut rows; where there are more, a kernel of its own does. An
// R-MAT graph of 16 M entries: 182 us and 154.
inline constexpr unsigned device_few_chunks = 256;
// Rows that end in a chunk, with more of which multiprocessors do not take consecutive chunks: the sums of all its
// warps wait in shared memory.
inline constexpr unsigned device_most_consecutive = 256;
// Parts of a cut row that one thread adds; where there are more, a block of so many threads does, so many parts of each
// on their way together. A circuit whose 20 longest rows have 550 parts each, H200, cold: 76.9 us by a warp for each,
// 69.9 so, 67.6 without these rows.
inline constexpr unsigned device_short_cut    = 4;
inline constexpr int      device_join_threads = 128, device_join_together = 8;
// Planes of x that are in shared memory at a time; jobs, not more if their planes allow, which are four for each
// multiprocessor of an H200; planes of a job at least and at most; blocks of threads that a multiprocessor shall hold.
// H200, cold, microseconds of 27-point 127x129x125 with 512, 576, 768 and 1024 jobs 16.1, 17.4, 20.0, 19.9; 7-point
// 160^3 with 500, 600, 750 and 1000 20.9, 20.8, 21.1, 22.8; with 4, 6, 8, 11 and 16 planes 27-point 64^3 9.3, 9.2, 9.0,
// 9.7, 12.0, 7-point 64^3 6.9, 7.3, 7.1, 8.2, 10.1. 27-point with three unknowns, 64^3, whose weights are read for each
// plane, with 528, 792 and 1056 jobs 28.0, 28.7, 29.1; two weights together instead of four 35.3; as units that do not
// slide 54.1.
inline constexpr int          device_slide_stages = 4;
inline constexpr std::int64_t device_slide_jobs = 528, device_least_job_planes = 4, device_most_job_planes = 16;
inline constexpr unsigned     device_slides = 6;
// Units slide from so many rows of a matrix and of a plane on, where so many planes are alike and x of a plane takes so
// many entries besides those at the rows themselves: a quarter of the shared memory of a multiprocessor for each block.
// Fewer jobs than the last are none, for a job takes its time: seven beside 4,900 tiles of repeated rows, 11 us.
inline constexpr std::int32_t device_least_sliding_rows = 1 << 18, device_least_stride = 900, device_widest_slide = 1000;
inline constexpr std::int64_t device_least_slide_planes = 4;
inline constexpr std::size_t  device_least_slides       = 32;
// Columns of which x is kept in shared memory, from so many columns and entries on, where so many of 100 entries have
// such a column; one block of threads, of so many warps, on each multiprocessor, with room for so many sums of each,
// and entries that a lane takes at a time. Columns and sums together are 192 KB: with more, what is left of the
// first-level cache is too small. H200, cold, after a memset, microseconds for R-MAT 20, relabelled, and R-MAT 21
// relabelled (what bounds them: tiles/hot_device.cuh): without hot columns 149, 126, 141; sixteen entries at a time, no
// sums 116, 99, 120; eight 107, 97, 118; with 64 sums 106, 90, 109, with 128 (208 KB) 131, 113, 143; 20,480 columns and
// 64 sums 109, 91, 111, 128 sums 109, 91, 110. 24 warps, which load the next eight ahead, 112, 88, 112; 32 warps that
// do have not enough registers: 114, 98, 118. R-MAT 17 and 18, of 1.9 M and 3.9 M entries, and both relabelled: without
// 34.3, 54.9, 22.5, 37.0; with 32.3, 39.6, 21.7, 30.1.
inline constexpr std::size_t  device_hot_columns       = 22528;
inline constexpr std::int32_t device_least_hot_x       = 1 << 17;
inline constexpr std::int64_t device_least_hot_entries = 3 << 19, device_hot_percent = 40;
inline constexpr unsigned     device_hot_warps = 32, device_hot_sums = 64;
inline constexpr int          device_hot_together = 8;
// Chunks that keep together in the order in which these warps take them. The same three, each in turn with the others:
// chunks that each warp knows beforehand 108, 93, 112; the next one when it is done, in their own order 108, 89, 108,
// and if its first entries are on their way before x of the hot columns is there 109, 87, 105. R-MAT 20 has most of its
// short rows, which take longest, at the end. Those with more rows first, by powers of two: chunk by chunk 90, 93, 112,
// by 64 together 89, 88, 107, by 256 89, 88, 106, by 1024 89, 88, 106; by 256, those with the most rows first 89, 88,
// 108.
inline constexpr std::size_t device_chunks_in_turn = 256;
// A multiprocessor takes consecutive chunks if there are so many of them, if in a few looks at so many of them together
// each has so many sectors of x (32 bytes) for 100 entries, and if all of them have less than so many sectors for 100
// of these. H200, cold, against chunks as they come: an unstructured mesh of a million nodes in a wide band 55.6 us
// instead of 94.3, in Hilbert's order 51.7 instead of 48.5; a circuit 74.5 instead of 77.2, with parts of long rows by
// columns, from so many parts on. Asking for the next chunk to come to the second-level cache took 4 to 14 us more, and
// 15 to 20 with hot columns.
inline constexpr std::size_t device_least_consecutive = 4096, device_looks = 8, device_chunks_together = 32, device_least_parts = 64;
inline constexpr std::size_t device_scattered_percent = 45, device_common_percent = 60;
// Warps of a block of threads with nodes; how many a multiprocessor shall hold, by the rows of a node, for if that is
// left open, the compiler takes so few registers that steps are not on their way together; and how many of these are,
// by the rows of a node and the columns of a step. H200, cold, microseconds; an unstructured mesh of 150,000 nodes with
// three rows: two steps and 24 warps 46.1, three and 18 45.2, and a unit's last steps one by one 47.4; 27-point with
// three 122.4, 124.5. 300,000 nodes with two: four and 24 48.7, three 45.7, three and 18 46.6. 100,000 with four,
// 60,000 with five and 50,000 with six, a step at a time: 24 56.9, 59.0, 68.6; 18 53.9, 56.3, 65.7. Steps of one
// column, three rows and two: two together 57.1, 52.0; three 59.7, 52.4; four 54.2, 50.5; six 66.9, 50.5. Columns asked
// for before the steps that need them took 5 us more (three rows), pairs of values in 16 bytes as long as single ones.
inline constexpr unsigned device_node_warps = 2;
constexpr unsigned        device_node_warps_at_a_time(int rows)
{
  return rows <= 3 ? 24 : 18;
}
constexpr int device_node_steps(int rows, int columns)
{
  return columns == 1 ? 4 : rows == 2 ? 3 : rows == 3 ? 2 : 1;
}
// Units of nodes that come last, the longest of these first: about as many as an H200 takes at a time. The same mesh of
// 150,000 nodes and one of 600,000: all in the order of tiles 53.1, 169; the last 1024 by length 52.5, 167; 2048 46.1,
// 165; 3168 46.9, 163; 4096 46.7, 163; 6144 47.0, 163; all by length 47.4, 182, for then units of a tile, which have x
// in common, are far from each other.
inline constexpr std::size_t device_last_nodes = 4096;
// Warps of a block of threads with repeated rows, one for each 128 of a tile, how many such blocks a multiprocessor
// shall hold, entries of a row that are on their way together, and entries of x that a tile has in shared memory at
// most, else x is read where it is. H200, cold, repeated rows of five materials on 160^3 points with holes, up to 2644
// entries of x: 31.5 us; 4 entries together 32.5; tiles of 384 rows and 3 warps 33.0; x where it is 36.9, with 4
// together 35.9, and asked for ahead 34.9; with different rows of the whole matrix in one pool (115,000 among 3.9 M, 12
// MB) 36.5; as streamed units 89. They are bound by accesses to shared memory and the first-level cache (70 % of what
// it can do with x where it is): a number costs two of them for a warp, even if all lanes read the same one.
inline constexpr unsigned     device_repeated_warps = 6, device_repeated_blocks = 7;
inline constexpr int          device_repeated_together = 7;
inline constexpr std::int64_t device_most_repeated_x   = 3072;
// Rows of a matrix from which on repeated ones are a kind of their own, which takes another launch, entries that these
// have in the mean, and how many rows of a tile there must be for each different one: half of the bytes of streamed
// values even if no two tiles have rows in common. Where there are so many other rows for 100 of these, or fewer, they
// become repeated ones, too, as far as they can: five materials on 160^3, 120^3 and 200^3 points 37.5 us and 33.3, 21.2
// and 20.9, 64.0 and 61.2.
inline constexpr std::int32_t  device_least_repeated_rows = 1 << 14;
inline constexpr std::uint32_t device_least_repeated_mean = 2;
inline constexpr std::size_t   device_least_repetition    = 4;
inline constexpr std::int64_t  device_few_others_percent  = 10;
// Of a matrix with so many regions or more, about so many tell beforehand whether nearly all rows repeat: then only
// these are also looked at as other tiles.
inline constexpr std::size_t device_least_sampled = 32, device_sampled_regions = 16;
// Entries in chunks from which on local tiles take their place, how many of 100 entries there are with those that are
// filled up, and how many sectors of x (32 bytes) tiles may bring for 100 entries. Below, an unstructured mesh of 15 M
// entries with 200 values: 119, and 6.
inline constexpr std::int64_t device_least_local          = 1 << 19;
inline constexpr std::size_t  device_local_filled_percent = 140, device_local_sectors_percent = 20;
// Groups of 256 threads of a block with local tiles, copies of each value there (one for each lane that reads shared
// memory at a time), such blocks of a multiprocessor, and steps of a row that are on their way together. H200, cold: 2
// groups and 2 blocks 28.8 us, 4 and 1 29.0, 3 and 1 28.8, 1 and 4, with 8 copies, 29.6; 8 steps took registers that
// there are not, 34.2 instead of 32.6. In chunks of fp32, 46.3.
inline constexpr int device_local_groups = 2, device_local_copies = 16, device_local_blocks = 2, device_local_ahead = 6;
// Mean length of rows from which on nodes pay, and how many times the mean a row may have.
inline constexpr std::uint32_t device_least_nodes = 8, device_most_of_mean = 4;
// Rows with so many entries lie in one chunk, which costs half of that in entries that are read in vain, and saves
// looking for the rest.
inline constexpr std::int64_t device_whole_row = 32;
// The same for a matrix of so many bytes as CSR, whose product takes as long as the way of one chunk does: any row that
// fits. A cut row's parts have to be written and waited for: H200, cold, matrices of 3 k to 240 k entries without cut
// rows take 7 us, those with some 9 to 12.5.
inline constexpr std::int64_t device_small_bytes = 4 << 20, device_whole_row_of_small = device_chunk_entries;
// Chunks that have one coding: 512 entries are too few to tell whether values repeat.
inline constexpr std::int64_t device_chunks_alike = 64;
// Entries of a matrix up to which it is in batches: where most rows are like the ones before them; where all values are
// raw and rows are short and have nothing in common, which means fewer than one batch of long rows or parts to so many;
// and others. H200, cold, microseconds in chunks, units or nodes and in batches: 5-point 400^2, constant 6.3, 6.2;
// 27-point 32^3 9.5, 7.3, 44^3 11.2, 11.7; 7-point 64^3 10.9, 10.0, 80^3 10.9, 14.3; 7-point 60^3, random values 10.6,
// 10.5; 27-point with three unknowns 20^3 20.2, 12.8; unstructured meshes of 0.6 M 6.9, 7.1, of 1.7 M 9.8, 13.5;
// xenon1, of 1.2 M, whose rows are alike, 8.4, 10.2; R-MAT 16 25.4, 14.3; circuits of 1.5 M and 3.8 M 16.0, 14.7 and
// 26.2, 27.2; twins of webbase-1M, roadNet-TX and ASIC_680k, of 3.1 M to 3.9 M, 27.1, 21.2; 25.7, 23.8; 32.6, 24.3.
inline constexpr std::int64_t device_most_batched_alike = 1 << 21, device_most_batched_plain = 1 << 19, device_most_batched = 1 << 22;
inline constexpr std::size_t  device_batches_per_listed = 50;
// Blocks of threads with a batch that a multiprocessor shall hold: as many as it has room for threads.
inline constexpr unsigned device_batches_at_a_time = 8;
// Rows in parts, each of which has a block of threads that waits for others, where there is no device to ask: a small
// GPU has 16 multiprocessors, with room for eight of these blocks on each.
inline constexpr std::size_t device_most_waiting = 127;
// With more rows in parts than the first number, graphs of more entries than the second one have hot columns instead.
// H200, cold, in batches and with hot columns: R-MAT 17, of 1.9 M entries, 22.2 us and 32.2, relabelled 21.7 and 21.8;
// R-MAT 18, of 3.9 M, 37.9 and 39.5, relabelled 37.3 and 29.9.
inline constexpr std::uint32_t device_most_in_parts         = 127;
inline constexpr std::int64_t  device_most_batched_in_parts = 1 << 21;
// Rows of a batch are in order up to so many entries, or so many times the mean; a lane that sums one alone takes a
// quarter of a microsecond for 32. H200, cold, 65 matrices: twice and eight times the mean take as long in the mean,
// some 10 % more for one or the other. Where listed rows fill their batches, there have to be short ones to fill them
// with: R-MAT 17 and 18 take 1.03 and 1.05 times the bytes of CSR with four times the mean, 1.01 and 1.02 with twice.
inline constexpr std::int64_t device_least_long = 32, device_long_factor = 4, device_long_factor_filled = 2;
// Entries of a row that a lane sums one by one at most; where there are more, threads add their four products first.
// H200, cold: mbeacxc 5.6 us and 5.2, lp_pilot87 5.6 and 5.3.
inline constexpr int device_most_summed_alone = 8;
// Entries of a listed row that one lane sums at most: where rows are shorter than a batch, there are fewer lanes for
// each, and more of them fill it; and entries of a matrix from which on, about as many batches as an H200 works on at a
// time. H200, cold, with eight rows to a batch and with more: R-MAT 17 22.2 us and 21.6, relabelled 21.7 and 21.2;
// wiki-Vote, of 0.1 M, 6.0 and 6.3, back to back 3.0 and 3.4.
inline constexpr std::size_t  device_listed_steps = 32;
inline constexpr std::int64_t device_least_filled = 1 << 20;
// Predicted nanoseconds of the whole of an H200: a 27-point stencil on 128^3 points takes 34 us, of which 8 are x and
// y, for 442,000 slots of groups; unstructured meshes take 94 to 104 us for 35 M entries and 55 for 15 M, of 10.5 bytes
// each.
inline constexpr Cost device_cost{.slot          = 0.05,
                                  .masked_slot   = 0.09,
                                  .group         = 0.1,
                                  .other_group   = 0,
                                  .uneven_group  = 0,
                                  .gathered      = 0,
                                  .product       = 0.0008,
                                  .gather_group  = 0,
                                  .scattered_row = 0,
                                  .length        = 0,
                                  .entry         = 0.0012,
                                  .segment       = 0,
                                  .empty_row     = 0.002,
                                  .byte          = kernels::tuning::device_byte,
                                  .decode        = kernels::tuning::device_decode};

} // namespace tuning
} // namespace petscspmv::ccoo
