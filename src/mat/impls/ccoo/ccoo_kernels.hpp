#pragma once

/// \file ccoo_kernels.hpp
/// The product kernels of all instruction sets, by name.

#include <complex>
#include <optional>

#include "impls/ccoo/ccoo_layout.hpp"
#include "impls/ccoo/ccoo_options.hpp"
#include "kernels/lanes/isa.hpp"
#include "kernels/rows/carry.hpp"
#include "kernels/rows/update.hpp"

namespace petscspmv::ccoo {

/// How kernels with AVX-512 fetch x by index: which way is faster depends on the make of the processor.
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
inline Gathers chosen_gathers([[maybe_unused]] std::optional<Gathers> asked, [[maybe_unused]] kernels::Isa isa)
{
#if defined(__x86_64__)
  if (isa == kernels::Isa::avx512 && (asked ? asked == Gathers::instruction : __builtin_cpu_is("intel") != 0)) return Gathers::instruction;
#endif
  return Gathers::loads;
}

/// Tiles and chunks that one thread does.
struct Share {
  std::size_t first_tile, last_tile; ///< last: one behind
  std::size_t first_chunk, last_chunk;
};

/// What every product needs to know besides the matrix.
template <class Scalar> struct Task {
  const Scalar                  *x;
  kernels::RowUpdate<Scalar>     update;
  kernels::Carry<Scalar, Local> *carry;   ///< [chunks] by number: what chunks know about cut rows
  bool                           ahead;   ///< the matrix comes from memory: prefetch
  bool                           streams; ///< y goes to memory past the caches
};

/// What a share is worth of y = alpha A x + beta y.
template <class Scalar> using Multiply = void (*)(const Layout<Scalar> &m, const Share &share, const Task<Scalar> &task);

/// The kernel of an instruction set, which ccoo_isa.cpp has.
template <kernels::Isa isa, class Scalar> Multiply<Scalar> kernel_of(Gathers gathers);

/// The kernel for `isa`, or the next simpler one that there is for the scalar type. `gathers` matters to AVX-512 only.
template <class Scalar> Multiply<Scalar> multiply_kernel(kernels::Isa isa, Gathers gathers)
{
  return kernels::for_isa<Scalar>(isa, [=]<kernels::Isa one>() { return kernel_of<one, Scalar>(gathers); });
}

} // namespace petscspmv::ccoo
