#pragma once

/// \file galerkin.hpp
/// The Galerkin product C = P^T A P of sparse matrices, with a structure that is kept for new values.
///
/// Row by row (Gustavson, ACM Trans. Math. Software 4, 1978): A P, whose structure and values are kept, and then P^T (A P) by
/// an index of P's columns. Where A and P consist of dense blocks, structures are of nodes. Each entry is a sum in the order
/// of ascending rows and columns, by one thread: the same bits in each run, whatever the number of threads.

#include <memory>
#include <vector>

#include "core/csr_view.hpp"
#include "core/execution.hpp"

namespace petscspmv {

template <class Scalar, class Index> class GalerkinProduct {
public:
  using View = CsrView<Scalar, Index>;

  virtual ~GalerkinProduct() = default;

  /// Of C, in host memory: [p.cols + 1], and [row_ptr[p.cols]] ascending in each row.
  virtual std::vector<Index> row_ptr() const = 0;
  virtual std::vector<Index> col() const     = 0;

  /// Writes the entries of C, [row_ptr[p.cols]], in the memory of the execution, for matrices of the same patterns. Never throws.
  virtual void values(const View &a, const View &p, Scalar *c) = 0;

  /// Floating-point operations of values().
  virtual double flops() const = 0;
};

/// `a`: n x n in blocks of `row_block` rows and columns; `p`: n x m in blocks of `row_block` x `col_block`; 1 if there are none.
/// Columns ascend in each row. They are in the memory of the execution, with their patterns there. Throws std::bad_alloc or
/// FormatError: the device has no room, or Index cannot number the entries of what is in between.
template <class Scalar, class Index>
std::unique_ptr<GalerkinProduct<Scalar, Index>> make_galerkin_product(const CsrView<Scalar, Index> &a, const CsrView<Scalar, Index> &p,
                                                                      Index row_block, Index col_block, const Execution &execution);

} // namespace petscspmv
