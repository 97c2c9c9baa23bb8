#pragma once

/// \file aijspec_kernels.hpp
/// The product kernels of all instruction sets, by name.

#include <complex>

#include "impls/aijspec/aijspec_layout.hpp"
#include "kernels/lanes/isa.hpp"
#include "kernels/rows/update.hpp"

namespace petscspmv::aijspec {

/// Bunches first .. last - 1 of y = alpha A x + beta y, but for the rows cut at the ends of bunches: their parts go to
/// work.carry.
template <class Scalar, class Index>
using Multiply = void (*)(const Layout<Scalar, Index> &a, Index first, Index last, const Scalar *x,
                          const kernels::RowUpdate<Scalar> &update, Workspace<Scalar, Index> &work);

/// The kernel of an instruction set, which aijspec_isa.cpp has.
template <kernels::Isa isa, class Scalar, class Index> Multiply<Scalar, Index> kernel_of();

/// The kernel for `isa`, or the next simpler one that there is for the scalar type.
template <class Scalar, class Index> Multiply<Scalar, Index> multiply_kernel(kernels::Isa isa)
{
  return kernels::for_isa<Scalar>(isa, []<kernels::Isa one>() { return kernel_of<one, Scalar, Index>(); });
}

} // namespace petscspmv::aijspec
