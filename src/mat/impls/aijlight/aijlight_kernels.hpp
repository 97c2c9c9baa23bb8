#pragma once

/// \file aijlight_kernels.hpp
/// The product kernels of all instruction sets, by name.

#include <complex>

#include "impls/aijlight/aijlight_layout.hpp"
#include "kernels/lanes/isa.hpp"
#include "kernels/rows/update.hpp"

namespace petscspmv::aijlight {

/// What one ticket is worth of y = alpha A x + beta y. The sum of a piece of a long row goes to part, [pieces].
template <class Scalar, class Index>
using Multiply = void (*)(const Layout<Scalar, Index> &a, std::int64_t ticket, const Scalar *x, const kernels::RowUpdate<Scalar> &update,
                          Scalar *part);

/// The kernel of an instruction set, which aijlight_isa.cpp has.
template <kernels::Isa isa, class Scalar, class Index> Multiply<Scalar, Index> kernel_of();

/// The kernel for `isa`, or the next simpler one that there is for the scalar type.
template <class Scalar, class Index> Multiply<Scalar, Index> multiply_kernel(kernels::Isa isa)
{
  return kernels::for_isa<Scalar>(isa, []<kernels::Isa one>() { return kernel_of<one, Scalar, Index>(); });
}

} // namespace petscspmv::aijlight
