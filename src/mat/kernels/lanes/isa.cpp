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

std::string_view name(Isa isa)
{
  switch (isa) {
  case Isa::avx512:
    return "AVX-512";
  case Isa::avx2:
    return "AVX2";
  case Isa::portable:
    return "portable";
  }
  __builtin_unreachable();
}

Isa chosen_isa(std::int64_t choice)
{
  if (choice == 0) return best_isa();
  const auto isa = static_cast<Isa>(choice - 1);
  if (!available(isa))
    throw FormatError("Option 'isa' asks for " + std::string(name(isa)) +
                      ", which this processor or this build does not have. The best here is " + std::string(name(best_isa())) +
                      "; leave the option at 'auto' to get it.");
  return isa;
}

} // namespace petscspmv::kernels
