#pragma once

/// \file cache.hpp
/// The caches of the machine, and the sizes by which others ask whether caches hold something.

#include <cstdint>

namespace petscspmv::kernels {

/// A core's first and second cache where a fit was made, or where the system does not say.
inline constexpr std::int64_t first_cache_bytes = std::int64_t(32) << 10, second_cache_bytes = std::int64_t(1) << 20;

/// x up to this size stays in a core's own caches.
inline constexpr std::int64_t near_x_bytes = std::int64_t(256) << 10;

/// x from this size on is prefetched beside gathers. Of x of 2 MB, which the last cache has and the processor's tables
/// of addresses reach, they keep enough under way by themselves. ns an entry without and with: R-MAT 20 (8 MB) 2.9,
/// 2.0; R-MAT 19 1.8, 1.8; R-MAT 18, relabelled, 1.4, 1.9.
inline constexpr std::int64_t far_x_bytes = std::int64_t(6) << 20;

// Sizes of a matrix (as CSR). They differ, as what each of them decides does not cost the same.

/// Below this one, a core's own caches help so much that plain CSR prefetches in vain. 7-point of 2.2 MB, AMD Zen 4:
/// 0.94 of the speed of aij with prefetches, 1.04 without.
inline constexpr std::int64_t csr_near_bytes = std::int64_t(6) << 20;

/// From this one on, ccoo prefetches what its tiles need.
inline constexpr std::int64_t tiles_ahead_bytes = std::int64_t(8) << 20;

/// From this one on, plain CSR waits for memory, rather than for instructions.
inline constexpr std::int64_t csr_afar_bytes = std::int64_t(16) << 20;

/// From this one on, all of it comes from memory, so that fewer bytes are worth some instructions. AMD Zen 4 with 32 MB
/// of cache, ms of a product with coded values and as they are: 27-point 20^3 with two unknowns a node (9 MB) 0.29,
/// 0.16.
inline constexpr std::int64_t memory_bytes = std::int64_t(24) << 20;

/// Bytes of the largest cache that a core can use; 32 MiB where the system does not say.
std::int64_t last_level_cache();

/// Bytes of a core's second cache; second_cache_bytes where the system does not say.
std::int64_t second_cache();

/// True if a core gets bytes from the last cache hardly faster than from memory, as from that of Intel's processors for
/// servers, in which many cores share a mesh; those with AVX-512 are taken for these. ns an entry of gather tiles with
/// values as they are (eight bytes), in tables of 16 and as floats: Xeon with 2 MB and 300 MB, rail507 (5 MB) 0.50,
/// 0.34, 0.40, nw04 (8 MB) 0.50, 0.37, 0.43, a mesh (11 MB) 0.62, 0.48, 0.45; AMD Zen 4 with 1 MB and 32 MB, rail507
/// 0.35, 0.32, 0.32, the mesh 0.35, 0.36, 0.32.
bool is_last_cache_slow();

/// True if what takes so many bytes comes from memory, or from a cache that is hardly faster, so that fewer bytes are
/// worth some instructions.
bool comes_from_afar(std::int64_t bytes);

} // namespace petscspmv::kernels
