#pragma once

/// \file bccoo_kernels.hpp
/// The product kernels of all instruction sets and shapes of blocks, by name.

#include <complex>

#include "impls/bccoo/bccoo_layout.hpp"
#include "kernels/lanes/isa.hpp"
#include "kernels/rows/update.hpp"

namespace petscspmv::bccoo {

/// What every product needs to know besides the matrix.
template <class Scalar> struct Task {
  const Scalar              *x;
  kernels::RowUpdate<Scalar> update;
  std::int64_t               rows;  ///< that may be written: rows behind them belong to no matrix
  bool                       ahead; ///< ask for values and x early
  Scalar                    *part;  ///< [parts][shape.rows] sums of the parts of cut block rows
};

/// What the tiles first .. last - 1 are worth of y = alpha A x + beta y. Sums of parts go to task.part.
template <class Scalar> using Multiply = void (*)(const Layout<Scalar> &m, std::size_t first, std::size_t last, const Task<Scalar> &task);

/// The kernel of an instruction set, which bccoo_isa.cpp has.
template <kernels::Isa isa, class Scalar> Multiply<Scalar> kernel_of(Shape shape);

/// The kernel for `isa`, or the next simpler one that there is for the scalar type.
template <class Scalar> Multiply<Scalar> multiply_kernel(kernels::Isa isa, Shape shape)
{
  return kernels::for_isa<Scalar>(isa, [=]<kernels::Isa one>() { return kernel_of<one, Scalar>(shape); });
}

} // namespace petscspmv::bccoo
