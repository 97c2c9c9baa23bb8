#pragma once

/// \file ccoo_columns_kernels.hpp
/// The kernels for several vectors of all instruction sets, by name.

#include "impls/ccoo/ccoo_layout.hpp"
#include "kernels/lanes/isa.hpp"
#include "kernels/many/columns.hpp"
#include "kernels/rows/carry.hpp"

namespace petscspmv::ccoo {

using kernels::pass_columns;

/// What every product with several vectors needs to know besides the matrix.
template <class Scalar> struct ColumnsTask {
  const Scalar                  *packed; ///< [cols][pass_columns]
  kernels::ColumnsUpdate<Scalar> update;
  kernels::Carry<Scalar, Local> *carry; ///< [columns][chunks]
};

/// A gather tile, and chunk number i.
template <class Scalar> struct ColumnsKernels {
  void (*tile)(const Layout<Scalar> &m, const Tile &t, const ColumnsTask<Scalar> &task);
  void (*chunk)(const Layout<Scalar> &m, std::size_t i, const ColumnsTask<Scalar> &task);
};

/// The kernels for `isa`, or the next simpler ones that there are for the scalar type.
template <class Scalar> ColumnsKernels<Scalar> columns_kernels(kernels::Isa isa);

ColumnsKernels<double> columns_kernels_avx2();
ColumnsKernels<double> columns_kernels_avx512();

} // namespace petscspmv::ccoo
