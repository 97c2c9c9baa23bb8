#pragma once

/// \file tuning.hpp
/// The numbers of local tiles, each with the measurement that chose it.

#include <cstddef>
#include <cstdint>

namespace petscspmv::ccoo::tuning {

// Entries in chunks from which on local tiles take their place, entries with those filled up for 100, and sectors of x
// (32 bytes) that tiles may load for 100 entries. A mesh of 15 M entries with 200 values has 119, and 6.
inline constexpr std::int64_t device_least_local          = 1 << 19;
inline constexpr std::size_t  device_local_filled_percent = 140, device_local_sectors_percent = 20;
// Groups of 256 threads of a block, copies of each value there (one for each lane that reads shared memory at a time),
// such blocks of a multiprocessor, and steps of a row in flight. The same mesh, H200: 29 us, with 8 steps 34; in chunks
// 46.
inline constexpr int device_local_groups = 2, device_local_copies = 16, device_local_blocks = 2, device_local_ahead = 6;

} // namespace petscspmv::ccoo::tuning
