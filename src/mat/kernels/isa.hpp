#pragma once

/// \file isa.hpp
/// The instruction sets that kernels are compiled for, and what the processor at hand can do.
///
/// A kernel is one template over a type of lanes (lanes_*.hpp); each instruction set instantiates it in a source file of its
/// own that is compiled with the flags of that set. Whatever such a file shares with others must be inlined always, or be
/// a template over the lanes: the linker keeps one copy of an ordinary inline function, and it could be the wrong one.

#include <string_view>

namespace petscspmv::kernels {

enum class Isa {
  portable, ///< what the compiler assumes of every processor
  avx2,     ///< AVX2 and FMA
  avx512,   ///< AVX-512 F, VL, DQ and BW
};

/// True if this build has kernels for `isa` and the processor (and the system) can run them.
bool available(Isa isa);

/// The widest available.
Isa best_isa();

std::string_view name(Isa isa);

} // namespace petscspmv::kernels
