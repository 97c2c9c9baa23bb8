#pragma once

/// \file ccoo_kernels.hpp
/// The product kernels of all instruction sets, by name.

#include <complex>

#include "impls/ccoo/ccoo_layout.hpp"
#include "impls/ccoo/ccoo_options.hpp"
#include "kernels/lanes/isa.hpp"
#include "kernels/rows/carry.hpp"
#include "kernels/rows/update.hpp"

namespace petscspmv::ccoo {

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
