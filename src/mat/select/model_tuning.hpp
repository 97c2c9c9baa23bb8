#pragma once

/// \file model_tuning.hpp
/// The numbers of the cost model and of what it looks at, each with the measurement that chose it.

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace petscspmv::select::tuning {

// Smaller matrices stay as they are: a product takes about a microsecond, of which asking the clock would be a share
// that one notices.
inline constexpr std::int64_t least_entries = 2000;
// Products that are timed after a change, all of them, and afterwards one in so many.
inline constexpr std::int64_t timed_products = 8;

// Windows of the matrix that are looked at. Looking takes 0.1 to 1 product of aijspec.
inline constexpr int windows = 8;
// Rows of a window at least, of which there are fewer then: single rows do not show what they share.
inline constexpr std::int64_t least_window_rows = 8;
inline constexpr std::int64_t least_looked_at = std::int64_t(1) << 13, most_looked_at = std::int64_t(1) << 18, looked_at_share = 32;
// What looking takes, nanoseconds for each entry looked at, all types together: 12 to 95 seen.
inline constexpr double look = 35;
// Lines of 64 bytes of a core's first and second cache: 32 KB and 1 MB.
inline constexpr std::int64_t first_cache_lines = 512, second_cache_lines = 16384;

/// What a product takes on the host, nanoseconds.
struct Cost {
  double entry;   ///< an entry
  double row;     ///< a row
  double uneven;  ///< a row that is not as long as the one before: a branch predicted wrongly
  double miss;    ///< an entry whose x is not in the first cache
  double cached;  ///< a byte of matrix, x or y where all are in the last cache
  double memory;  ///< a byte where they are not
  double own;     ///< a nanosecond of the format's own forecast
  double build;   ///< building, an entry; on one thread
  double refresh; ///< new values, an entry

  double device_build = build; ///< planning for a device, where arrays are filled, an entry; on one thread
};

// Fitted to the relative errors of 53 matrices of 20,000 to 5 million entries, one core of an AMD Zen 4: median 10 %
// (aijspec), 8 % (aijlight); ccoo to how many times aijspec it takes on 95 matrices, median 16 %. The same for all
// instruction sets: choices by the best of 324 others are hardly better. ccoo for a device: 16 threads of an H100's host
// take 0.2 to 1.2 ns an entry from AIJ to the first product, upload and filling included.
inline constexpr Cost plain{0.27, 1.1, 2.3, 0.50, 0, 0.0135, 0, 0.3, 0}, light{0.25, 1.2, 2.2, 0.48, 0, 0.0138, 0, 0.3, 0},
  compressed{0, 0.01, 1.2, 0.46, 0.0038, 0.019, 0.56, 14, 2.5, 5};
// What a further thread adds to building. Two threads, same machine.
inline constexpr double build_share = 0.6;
// bccoo predicts its blocks itself (bccoo_tuning.hpp), and a byte in caches takes as long as one of ccoo. The faster
// one of both by prediction takes 1.02 times as long as the faster one (46 matrices that caches hold, AMD Zen 3).
inline constexpr Cost blocked{0, 0, 2.5, 1.3, 0.0038, 0.0195, 0.95, 12, 4};
// Types that tell nothing but their bytes: as plain CSR.
inline constexpr std::array<std::pair<std::string_view, Cost>, 4> costs{
  {{"aijspec", plain}, {"aijlight", light}, {"ccoo", compressed}, {"bccoo", blocked}}};

// Matrices of up to so many rows end in a pattern that a processor learns: uneven rows cost a fifth. aijspec: 0.46 ns
// an entry instead of 0.75.
inline constexpr double learned_entries = 80000, learned_share = 0.2;
// x, y and the matrix together: what a core's second cache holds, and the last one.
inline constexpr double second_cache = 1e6, last_cache = 32e6;
// Bandwidth of the memory of that machine, one core, bytes a second; on another, bytes from memory cost in proportion.
inline constexpr double bandwidth = 28e9;
// No product is faster than a call.
inline constexpr double call = 30;

// On a device a product waits for a launch and for memory. An H200 reads plain CSR at 0.8 of the bandwidth of a copy,
// coded values at 0.6, blocks at 0.55.
inline constexpr double device_bandwidth = 4e12, device_launch = 3e-6, device_plain = 0.8, device_coded = 0.6, device_blocked = 0.55,
                        device_line = 32;
// Nanoseconds an entry to bring what was built to a device: 12 bytes at 20 GB/s.
inline constexpr double device_upload = 0.6;
// And for PETSc to bring a CSR matrix there, on an H100: 7.3 ms for a mesh to 37 for a 27-point stencil, 1.3 to 1.7.
inline constexpr double device_csr = 1.4;
// Where fewer entries are, allocations take longer than either.
inline constexpr double least_copied_first = 5e5;

} // namespace petscspmv::select::tuning
