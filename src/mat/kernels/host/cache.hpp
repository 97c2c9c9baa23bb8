#pragma once

/// \file cache.hpp
/// The caches of the machine.

#include <cstdint>

namespace petscspmv::kernels {

/// Bytes of the largest cache that a core can use; 32 MiB where the system does not say.
std::int64_t last_level_cache();

/// Bytes of a core's second cache; 1 MiB where the system does not say.
std::int64_t second_cache();

/// True if a core gets bytes from the last cache hardly faster than from memory, as from that of Intel's processors for
/// servers, in which many cores share a mesh; those with AVX-512 are taken for these. ns an entry of gather tiles with
/// values as they are (eight bytes), in tables of 16 and as floats: Xeon with 2 MB and 300 MB, rail507 (5 MB) 0.50,
/// 0.34, 0.40, nw04 (8 MB) 0.50, 0.37, 0.43, a mesh (11 MB) 0.62, 0.48, 0.45; AMD Zen 4 with 1 MB and 32 MB, rail507
/// 0.35, 0.32, 0.32, the mesh 0.35, 0.36, 0.32.
bool is_last_cache_slow();

/// Size of a matrix (as CSR) from which on it comes from memory. AMD Zen 4 with 32 MB of cache, ms of a product with
/// coded values and as they are: 27-point 20^3 with two unknowns a node (9 MB) 0.29, 0.16.
inline constexpr std::int64_t memory_bytes = std::int64_t(24) << 20;

/// True if what takes so many bytes comes from memory, or from a cache that is hardly faster, so that fewer bytes are
/// worth some instructions.
bool comes_from_afar(std::int64_t bytes);

} // namespace petscspmv::kernels
