#pragma once

/// \file csr_kernels.hpp
/// The kernels of all instruction sets, by name.

#include "impls/csr/csr_layout.hpp"
#include "kernels/lanes/isa.hpp"
#include "kernels/rows/columns.hpp"
#include "kernels/rows/update.hpp"

namespace petscspmv::csr {

template <class Scalar, class Index> struct Kernels {
  using View = CsrView<Scalar, Index>;

  /// Bunches or tickets first .. last - 1 of y = alpha A x + beta y, but for the rows cut at the ends of bunches and
  /// those in pieces: their parts go to partial.carry and partial.piece_sum.
  void (*multiply)(const Layout<Scalar, Index> &a, std::int64_t first, std::int64_t last, const Scalar *x,
                   const kernels::RowUpdate<Scalar> &update, PartialSums<Scalar, Index> &partial);
  /// A X, where `packed` is X: the sums of rows first .. last - 1 go into Y.
  void (*rows)(const View &a, Index first, Index last, const Scalar *packed, const kernels::ColumnsUpdate<Scalar> &update);
  /// A^T X: sum[c] += a_rc packed[r] for columns first <= c < last, in the order of the rows r.
  void (*scatter)(const View &a, Index first, Index last, const Scalar *packed, Scalar *sum);
};

/// Those of an instruction set, which csr_isa.cpp has.
template <kernels::Isa isa, class Scalar, class Index> Kernels<Scalar, Index> kernels_of();

/// Those for `isa`, or the next simpler one that there is for the scalar type.
template <class Scalar, class Index> Kernels<Scalar, Index> kernels_for(kernels::Isa isa)
{
  return kernels::for_isa<Scalar>(isa, []<kernels::Isa one>() { return kernels_of<one, Scalar, Index>(); });
}

} // namespace petscspmv::csr
