#pragma once

/// \file csr_kernels.hpp
/// The product kernels of all instruction sets, by name.

#include "impls/csr/csr_layout.hpp"
#include "kernels/lanes/isa.hpp"
#include "kernels/rows/update.hpp"

namespace petscspmv::csr {

/// Bunches or tickets first .. last - 1 of y = alpha A x + beta y, but for the rows cut at the ends of bunches and those in
/// pieces: their parts go to work.carry and work.piece_sum.
template <class Scalar, class Index>
using Multiply = void (*)(const Layout<Scalar, Index> &a, std::int64_t first, std::int64_t last, const Scalar *x,
                          const kernels::RowUpdate<Scalar> &update, Workspace<Scalar, Index> &work);

/// The kernel of an instruction set, which csr_spmv_isa.cpp has.
template <kernels::Isa isa, class Scalar, class Index> Multiply<Scalar, Index> kernel_of();

/// The kernel for `isa`, or the next simpler one that there is for the scalar type.
template <class Scalar, class Index> Multiply<Scalar, Index> multiply_kernel(kernels::Isa isa)
{
  return kernels::for_isa<Scalar>(isa, []<kernels::Isa one>() { return kernel_of<one, Scalar, Index>(); });
}

} // namespace petscspmv::csr
