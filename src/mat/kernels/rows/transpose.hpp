#pragma once

/// \file transpose.hpp
/// y = alpha A^T x + beta y and y = alpha A^H x + beta y on the rows of A.

#include "core/csr_view.hpp"
#include "core/execution.hpp"
#include "kernels/lanes/scalar.hpp"
#include "kernels/rows/update.hpp"

namespace petscspmv::kernels {

/// y[c] += alpha a_rc x[r] for the rows r in order, so that each y[c] is a sum in the order of the rows. The x of an
/// empty row is not multiplied: that may raise exceptions.
template <bool hermitian, class Scalar, class Index>
void scatter_rows(const CsrView<Scalar, Index> &a, Scalar alpha, const Scalar *x, Scalar *__restrict y)
{
  for (Index r = 0; r < a.rows; ++r) {
    if (a.row_ptr[r] == a.row_ptr[r + 1]) continue;
    const Scalar factor = alpha == Scalar(1) ? x[r] : multiply(alpha, x[r]);
    for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k) y[a.col[k]] += multiply(hermitian ? conjugate(a.val[k]) : a.val[k], factor);
  }
}

/// y = alpha op(A) x + beta y where that is no matter of the format: op is a transpose, alpha is zero, or there are no
/// entries. Returns false, having done nothing, where it is one.
template <class Scalar, class Index>
bool multiply_plainly(Operation op, const CsrView<Scalar, Index> &a, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y)
{
  const bool nothing = alpha == Scalar(0) || a.nonzeros() == 0;
  if (op == Operation::none && !nothing) return false;
  scale(op == Operation::none ? a.rows : a.cols, beta, y);
  if (nothing) return true;
  if (op == Operation::hermitian) scatter_rows<true>(a, alpha, x, y);
  else scatter_rows<false>(a, alpha, x, y);
  return true;
}

} // namespace petscspmv::kernels
