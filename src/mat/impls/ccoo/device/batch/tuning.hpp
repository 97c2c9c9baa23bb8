#pragma once

/// \file tuning.hpp
/// The numbers of batches, each with the measurement that chose it.

#include <cstddef>
#include <cstdint>

namespace petscspmv::ccoo {

/// Entries of a batch on a device: four for each thread.
inline constexpr int device_batch_threads = 256, device_batch_each = 4, device_batch_entries = device_batch_threads * device_batch_each;

namespace tuning {

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

} // namespace tuning
} // namespace petscspmv::ccoo
