#include "kernels/lanes/gathers.hpp"

namespace petscspmv::kernels {

Gathers chosen_gathers([[maybe_unused]] std::int64_t choice, [[maybe_unused]] Isa isa)
{
#if defined(__x86_64__)
  if (isa == Isa::avx512) {
    if (choice > 0) return static_cast<Gathers>(choice - 1);
    static const bool instruction = gather_time_avx512(Gathers::instruction) < gather_time_avx512(Gathers::loads);
    return instruction ? Gathers::instruction : Gathers::loads;
  }
#endif
  return Gathers::loads;
}

} // namespace petscspmv::kernels
