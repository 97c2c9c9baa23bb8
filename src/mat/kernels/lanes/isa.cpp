#include "kernels/lanes/isa.hpp"

#include <string>

namespace petscspmv::kernels {

bool available(Isa isa)
{
#if defined(__x86_64__)
  if (isa == Isa::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  if (isa == Isa::avx512)
    return available(Isa::avx2) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
#endif
  return isa == Isa::portable;
}

Isa best_isa()
{
  for (Isa isa : {Isa::avx512, Isa::avx2})
    if (available(isa)) return isa;
  return Isa::portable;
}

Isa chosen_isa(std::optional<Isa> asked)
{
  const Isa isa = asked.value_or(best_isa());
  if (!available(isa))
    throw FormatError("Option 'isa' asks for " + std::string(isa_facts[isa]) +
                      ", which this processor or this build does not have. The best here is " + std::string(isa_facts[best_isa()]) +
                      "; leave the option at 'auto' to get it.");
  return isa;
}

} // namespace petscspmv::kernels
