#pragma once

/// \file execution.hpp
/// Where and how a product runs, and which product it is.

namespace petscspmv {

/// The memory that holds a format's arrays and the vectors it multiplies.
enum class MemorySpace { host, device };

/// True if this build has kernels for a device, so that a format that brings some can be built in MemorySpace::device.
#if defined(PETSCSPMV_CUDA)
inline constexpr bool built_for_device = true;
#else
inline constexpr bool built_for_device = false;
#endif

/// What op(A) stands for in y = alpha op(A) x + beta y.
enum class Operation {
  none,      ///< A
  transpose, ///< A^T
  hermitian, ///< conj(A)^T; the same as transpose for real scalars
};

/// Which kernels a format multiplies with.
enum class Kernels {
  automatic, ///< those that are fastest where it is: the host's for its instruction set, those written for the device
  kokkos,    ///< the portable ones, through Kokkos, of a format that has some
};

/// Resources that a format may use, fixed when it is built.
struct Execution {
  MemorySpace space   = MemorySpace::host;
  int         threads = 1; ///< host threads, at least 1; never changes the bits of a result. For a device: those that prepare the arrays
  Kernels     kernels = Kernels::automatic;
  /// Through Kokkos: threads of a team, and vector lanes of a thread; 0: as many as suit. Where a team is given, what a
  /// team does on the host is as on a device.
  int team = 0, lanes = 0;
};

} // namespace petscspmv
