#pragma once

/// \file gathers.hpp
/// How kernels with AVX-512 fetch x by index: which way is faster depends on the make of the processor.

#include <array>
#include <string_view>

#include "core/options.hpp"
#include "kernels/lanes/isa.hpp"

namespace petscspmv::kernels {

enum class Gathers {
  loads,       ///< eight loads
  instruction, ///< vgatherdpd
};

inline constexpr std::array<std::string_view, 3> gather_choices{"auto", "loads", "instruction"};

/// The option of a format whose kernels know both.
inline constexpr OptionSpec gather_option =
  internal(host_only({"gather", 0, 0, 2, "How AVX-512 fetches x by index; auto measures it once", gather_choices}));

/// What the value of that option stands for. `auto` measures both for some ten microseconds at its first use in a
/// process; the bits of a product do not depend on it. Without AVX-512 there are only loads.
Gathers chosen_gathers(std::int64_t choice, Isa isa);

/// Nanoseconds that eight entries take, from a nearby cache.
double gather_time_avx512(Gathers gathers);

} // namespace petscspmv::kernels
