#include "core/runtime.hpp"

#include <cstdlib>

#include <Kokkos_Core.hpp>

namespace petscspmv::runtime {

void start(int threads)
{
  if (Kokkos::is_initialized() || Kokkos::is_finalized()) return;
  Kokkos::initialize(Kokkos::InitializationSettings().set_num_threads(threads).set_disable_warnings(true));
  std::atexit([] {
    if (Kokkos::is_initialized() && !Kokkos::is_finalized()) Kokkos::finalize();
  });
}

int max_threads()
{
  return Kokkos::is_initialized() ? Kokkos::DefaultHostExecutionSpace().concurrency() : 1;
}

std::string description()
{
  std::string text = "Kokkos " + std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
                     std::to_string(KOKKOS_VERSION % 100);
  return text + ", host backend " + Kokkos::DefaultHostExecutionSpace::name();
}

} // namespace petscspmv::runtime
