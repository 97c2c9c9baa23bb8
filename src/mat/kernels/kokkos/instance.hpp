#pragma once

/// \file instance.hpp
/// Kokkos on the stream that runtime::use_stream has chosen.

#include <Kokkos_Core.hpp>

namespace petscspmv::kernels {

/// Queues work on the current stream. Kokkos allocates memory for each stream, once: at the first build or product on
/// it.
const Kokkos::DefaultExecutionSpace &current_instance();

} // namespace petscspmv::kernels
