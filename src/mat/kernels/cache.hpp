#pragma once

/// \file cache.hpp
/// The caches of the machine.

#include <cstdint>

namespace petscspmv::kernels {

/// Bytes of the largest cache that a core can use; 32 MiB where the system does not say.
std::int64_t last_level_cache();

} // namespace petscspmv::kernels
