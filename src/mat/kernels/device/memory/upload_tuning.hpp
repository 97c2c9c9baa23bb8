#pragma once

/// \file upload_tuning.hpp
/// The numbers of copies to a device, with the measurement that chose them.

#include <cstddef>
#include <cstdint>

namespace petscspmv::kernels::tuning {

// Threads that copy at most, and page-locked bytes that each of them fills while as many are on their way. 512 MiB to
// an H200, 16 cores: the driver alone 61 to 73 ms; 1, 2, 4, 8 and 16 threads with 512 KiB 59, 33, 24, 16, 15 ms, with 1
// MiB 53, 30, 16, 12.0, 11.8, with 4 MiB 59, 33, 16, 11.0, 11.0; from memory that is page-locked already 9.7. To lock a
// MiB takes 0.4 ms, once a process.
inline constexpr int         upload_threads = 8;
inline constexpr std::size_t upload_piece   = std::size_t(1) << 20;
// Arrays from this size on are copied so: four pieces, which take the driver about 0.5 ms.
inline constexpr std::size_t least_upload = 4 * upload_piece;
// Entries from which on a matrix is brought to the device while it is analysed: two threads more, and threads that wait
// for memory. H200, 16 cores, an unstructured mesh of 15 M entries and one of 62 M with three unknowns: 6.5 and 18.5 ms
// to bring them, 13 and 14 to look at rows.
inline constexpr std::int64_t least_early = 1 << 20;

} // namespace petscspmv::kernels::tuning
