#pragma once

/// \file tuning.hpp
/// The numbers of local tiles, each with the measurement that chose it.

#include <cstddef>
#include <cstdint>

namespace petscspmv::ccoo::tuning {

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

} // namespace petscspmv::ccoo::tuning
