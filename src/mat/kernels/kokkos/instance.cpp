#include "kernels/kokkos/instance.hpp"

#include <map>
#include <mutex>
#include <utility>

#include "kernels/kokkos/arrays.hpp"
#if defined(PETSCSPMV_CUDA)
  #include "kernels/device/stream.cuh"
#endif

namespace petscspmv::kernels {

#if defined(PETSCSPMV_CUDA)
namespace {

/// Teams that ask for no memory of the second level would have Kokkos allocate none of it at each launch, which is an
/// error while a stream is recorded; some that is there already is kept.
struct TakeSomeMemory {
  template <class Member> KOKKOS_FUNCTION void operator()(const Member &) const { }
};

Kokkos::Cuda new_instance(cudaStream_t stream)
{
  const Kokkos::Cuda instance(stream);
  const auto         policy = Kokkos::TeamPolicy<Kokkos::Cuda>(instance, 1, 32).set_scratch_size(1, Kokkos::PerTeam(64));
  Kokkos::parallel_for("petscspmv", policy, TakeSomeMemory{});
  return instance;
}

} // namespace

/// They are never destroyed: that would have to be before PETSc ends their streams, and before CUDA is gone.
const Kokkos::DefaultExecutionSpace &current_instance()
{
  static auto          &instances = *new std::map<std::pair<int, cudaStream_t>, Kokkos::Cuda>;
  static std::mutex     looking;
  const std::lock_guard lock(looking);
  const std::pair       key(current_device(), current_stream());
  const auto            found = instances.find(key);
  return found != instances.end() ? found->second : instances.emplace(key, new_instance(key.second)).first->second;
}
#else
const Kokkos::DefaultExecutionSpace &current_instance()
{
  static const auto &instance = *new Kokkos::DefaultExecutionSpace;
  return instance;
}
#endif

} // namespace petscspmv::kernels
