#pragma once

/// \file parallel.hpp
/// One call for "do these parts, at the same time if there are threads for it".

#include <Kokkos_Core.hpp>

namespace petscspmv::kernels {

/// Calls work(part) for part = 0 .. parts - 1, on as many threads of Kokkos' host space as there are, and returns when
/// all are done. `work` must not throw.
///
/// One part is called as it is: Kokkos::Serial would take a lock and visit its profiling hooks, which is more than a whole
/// product of a small matrix takes.
template <class Work> void for_each_part(int parts, const Work &work)
{
  if (parts == 1 || !Kokkos::is_initialized()) {
    for (int part = 0; part < parts; ++part) work(part);
    return;
  }
  using Space = Kokkos::DefaultHostExecutionSpace;
  Kokkos::parallel_for("petscspmv", Kokkos::RangePolicy<Space>(0, parts), [&work](int part) { work(part); });
}

} // namespace petscspmv::kernels
