#pragma once

/// \file batch_tuning.hpp
/// The numbers of batches, each with the measurement that chose it.

#include <cstddef>
#include <cstdint>

namespace petscspmv::ccoo {

/// Entries of a batch on a device: four for each thread.
inline constexpr int device_batch_threads = 256, device_batch_each = 4, device_batch_entries = device_batch_threads * device_batch_each;

namespace tuning {

// Entries of a matrix up to which it is in batches: where most rows are like the ones before them (27-point 44^3, H200:
// 11.7 us, else 11.2); where values are raw, rows short and fewer than one of so many batches has long rows or parts (a
// mesh of 0.6 M: 7.1, 6.9); and others (a circuit of 1.5 M: 14.7, 16.0).
inline constexpr std::int64_t device_most_batched_alike = 1 << 21, device_most_batched_plain = 1 << 19, device_most_batched = 1 << 22;
inline constexpr std::size_t  device_batches_per_listed = 50;
// Thread blocks that a multiprocessor shall hold: as many as it has threads for.
inline constexpr unsigned device_batches_at_a_time = 8;
// Rows in parts, each of whose thread blocks waits for others, where there is no device to ask: a small GPU has 16
// multiprocessors, with eight blocks on each.
inline constexpr std::size_t device_most_waiting = 127;
// With more rows in parts than the first number, graphs of more entries than the second have hot columns instead. R-MAT
// 18 relabelled: 30 us instead of 37; of 17, batches are as fast.
inline constexpr std::uint32_t device_most_in_parts         = 127;
inline constexpr std::int64_t  device_most_batched_in_parts = 1 << 21;
// Rows of a batch are in order up to so many entries, or so many times the mean: one lane takes a quarter of a
// microsecond for 32. Where listed rows fill their batches, short ones must be left to fill them with: twice the mean.
inline constexpr std::int64_t device_least_long = 32, device_long_factor = 4, device_long_factor_filled = 2;
// Entries of a row that a lane sums one by one at most; with more, threads add their four products first. mbeacxc: 5.2
// us instead of 5.6.
inline constexpr int device_most_summed_alone = 8;
// Entries of a listed row that one lane sums at most, and entries of a matrix from which on listed rows fill their
// batches: about as many batches as an H200 works on at a time. R-MAT 17: 21.6 us instead of 22.2.
inline constexpr std::size_t  device_listed_steps = 32;
inline constexpr std::int64_t device_least_filled = 1 << 20;

} // namespace tuning
} // namespace petscspmv::ccoo
