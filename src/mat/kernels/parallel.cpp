#include "kernels/parallel.hpp"

#include <Kokkos_Core.hpp>

#include "core/runtime.hpp"

namespace petscspmv::kernels {

void run_parts(int parts, void (*work)(const void *, int), const void *context)
{
  if (Kokkos::is_initialized()) {
    using Space = Kokkos::DefaultHostExecutionSpace;
    Kokkos::parallel_for("petscspmv", Kokkos::RangePolicy<Space>(0, parts), [=](int part) { work(context, part); });
    return;
  }
  // A build for a device where there is none: Kokkos could not be started, see runtime.cpp.
#if defined(KOKKOS_ENABLE_OPENMP)
  #pragma omp parallel for num_threads(runtime::max_threads()) schedule(static)
#endif
  for (int part = 0; part < parts; ++part) work(context, part);
}

} // namespace petscspmv::kernels
