#pragma once

/// \file isa.hpp
/// The instruction sets that kernels are compiled for, and what the processor at hand can do.
///
/// A kernel is one template over a type of lanes (portable.hpp, avx2.hpp, avx512.hpp), which one source file, whose
/// name ends in _isa, instantiates: it is compiled once for each instruction set, with the flags of that set
/// (this_isa.hpp). Whatever such a file shares with others must be inlined always, or be a template over the lanes: the
/// linker keeps one copy of an ordinary inline function, and it could be the wrong one.

#include <optional>

#include "core/options.hpp"
#include "kernels/lanes/scalar.hpp"

namespace petscspmv::kernels {

enum class Isa {
  portable, ///< what the compiler assumes of every processor
  avx2,     ///< AVX2 and FMA
  avx512,   ///< AVX-512 F, VL, DQ and BW
};

/// True if a method has kernels for AVX2 and AVX-512 besides the portable one.
#if defined(__x86_64__)
template <class Scalar> inline constexpr bool has_wide_kernels = !is_complex<Scalar>;
#else
template <class Scalar> inline constexpr bool has_wide_kernels = false;
#endif

/// What `get` returns for `isa` as a template argument, or for the next simpler one that there is for the scalar type.
template <class Scalar, class Get> auto for_isa([[maybe_unused]] Isa isa, const Get &get)
{
  if constexpr (has_wide_kernels<Scalar>) {
    if (isa == Isa::avx512) return get.template operator()<Isa::avx512>();
    if (isa == Isa::avx2) return get.template operator()<Isa::avx2>();
  }
  return get.template operator()<Isa::portable>();
}

/// True if this build has kernels for `isa` and the processor (and the system) can run them.
bool available(Isa isa);

/// The widest available.
Isa best_isa();

/// As facts and messages say it, and as the option does.
inline constexpr auto isa_facts = names<Isa>({{Isa::portable, "portable"}, {Isa::avx2, "AVX2"}, {Isa::avx512, "AVX-512"}});
inline constexpr auto isa_names = or_auto(names<Isa>({{Isa::portable, "portable"}, {Isa::avx2, "avx2"}, {Isa::avx512, "avx512"}}));

/// The option of a format that has kernels for these instruction sets; users set it for all types at once
/// (-mat_spmv_isa).
inline constexpr auto isa_option = internal(host_only(Choice("isa", isa_names, {}, "Instruction set of the product")));

/// What the value of that option stands for. Throws FormatError if it cannot be had here.
Isa chosen_isa(std::optional<Isa> asked);

} // namespace petscspmv::kernels
