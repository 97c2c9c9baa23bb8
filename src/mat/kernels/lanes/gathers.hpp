#pragma once

/// \file gathers.hpp
/// How kernels with AVX-512 fetch x by index: which way is faster depends on the make of the processor.

#include <optional>

#include "core/options.hpp"
#include "kernels/lanes/isa.hpp"

namespace petscspmv::kernels {

enum class Gathers {
  loads,       ///< eight loads
  instruction, ///< vgatherdpd
};

inline constexpr auto gather_names = or_auto(names<Gathers>({{Gathers::loads, "loads"}, {Gathers::instruction, "instruction"}}));

/// The option of a format whose kernels know both.
inline constexpr auto gather_option = internal(
  host_only(Choice("gather", gather_names, {}, "How AVX-512 fetches x by index; auto takes the instruction on Intel's processors")));

/// What the value of that option stands for; the bits of a product do not depend on it. Without AVX-512 there are only
/// loads, and on AMD's processors (Zen 4) the instruction is slower than these.
inline Gathers chosen_gathers([[maybe_unused]] std::optional<Gathers> asked, [[maybe_unused]] Isa isa)
{
#if defined(__x86_64__)
  if (isa == Isa::avx512 && (asked ? asked == Gathers::instruction : __builtin_cpu_is("intel") != 0)) return Gathers::instruction;
#endif
  return Gathers::loads;
}

} // namespace petscspmv::kernels
