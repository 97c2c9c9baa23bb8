#pragma once

/// \file ccoo_device_tuning.hpp
/// The numbers of the format on a device, each with the measurement that chose it.

#include "impls/ccoo/ccoo_tuning.hpp"

namespace petscspmv::ccoo {

/// Entries of a chunk on a device: sixteen for each lane of a warp.
inline constexpr std::int64_t device_chunk_entries = 512;

namespace tuning {

// Warps of a block of threads, without chunks and with them, and how many a multiprocessor shall hold.
inline constexpr unsigned device_unit_warps = 8, device_unit_warps_at_a_time = 32, device_by_slot_warps_at_a_time = 48;
inline constexpr unsigned device_chunk_warps = 4, device_chunk_warps_at_a_time = 28;
// Chunks up to which those that come last add the parts of cut rows; where there are more, a kernel of its own does. An R-MAT graph of 16 M
// entries: 182 us and ...
inline constexpr unsigned device_few_chunks = 256;
// Parts of a cut row that one thread adds; where there are more, a warp does.
inline constexpr unsigned device_short_cut = 4;
// Rows with so many entries lie in one chunk, which costs half of that in entries that are read in vain, and saves looking for the rest.
inline constexpr std::int64_t device_whole_row = 32;
// Chunks that have one coding: 512 entries are too few to tell whether values repeat.
inline constexpr std::int64_t device_chunks_alike = 64;
// Smallest share of a tile's rows ... see Cost. Nanoseconds of the whole of an H200: 4.24 TB/s, a 27-point stencil on 128^3 points takes 36
// us, of which 8 are x and y, for 442,000 slots of groups; an unstructured mesh takes 52 us for 15 M entries of 10.5 bytes.
inline constexpr Cost device_cost{.slot          = 0.05,
                                  .masked_slot   = 0.2,
                                  .group         = 0.1,
                                  .gathered      = 0,
                                  .product       = 0.0008,
                                  .gather_group  = 0,
                                  .scattered_row = 0,
                                  .entry         = 0.0012,
                                  .empty_row     = 0.002,
                                  .byte          = 0.000236,
                                  .decode        = {0, 0.0001, 0.0001, 0.0004, 0, 0}};

} // namespace tuning
} // namespace petscspmv::ccoo
