#pragma once

/// \file transpose.hpp
/// y = alpha A^T x + beta y and y = alpha A^H x + beta y on the rows of A.

#include "core/csr_view.hpp"
#include "core/execution.hpp"
#include "kernels/host/parallel.hpp"
#include "kernels/lanes/scalar.hpp"

namespace petscspmv::kernels {

/// y = beta y, where beta == 0 writes zeros whatever y held.
template <class Scalar, class Index> void scale(Index n, Scalar beta, Scalar *y)
{
  if (beta == Scalar(1)) return;
  for (Index i = 0; i < n; ++i) y[i] = beta == Scalar(0) ? Scalar(0) : multiply(beta, y[i]);
}

/// y[c] += alpha a_rc x[r] for the rows r in order, so that each y[c] is a sum in the order of the rows.
template <bool hermitian, class Scalar, class Index>
void scatter_rows(const CsrView<Scalar, Index> &a, Scalar alpha, const Scalar *x, Scalar *__restrict y)
{
  for (Index r = 0; r < a.rows; ++r) {
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

/// y[c] += alpha op(a_rc) x[r] for the columns first <= c < last of a matrix in pieces, in the order in which entries
/// are kept.
///
/// for_each_piece(visit) calls visit(least, end, decode) for each piece, whose columns lie in least .. end - 1 and
/// whose entries are those for which decode(entry) calls entry(row, column, value).
template <bool hermitian, class Scalar, class Local, class ForEachPiece>
void scatter_columns(Local first, Local last, Scalar alpha, const Scalar *x, Scalar *y, ForEachPiece &&for_each_piece)
{
  const bool unit = alpha == Scalar(1);
  for_each_piece([&](Local least, Local end, const auto &decode) {
    if (end <= first || least >= last) return;
    const bool inside = least >= first && end <= last;
    decode([&](Local row, Local col, Scalar value) __attribute__((always_inline)) {
      if (!inside && (col < first || col >= last)) return;
      const Scalar factor = unit ? x[row] : multiply(alpha, x[row]); // of each entry: rows of a piece take turns
      y[col] += multiply(hermitian ? conjugate(value) : value, factor);
    });
  });
}

/// The same for all columns 0 .. cols - 1. Each thread has columns of its own, so that every sum has one order for any
/// number of them. pieces_of() gives a thread its for_each_piece.
template <class Scalar, class Local, class PiecesOf>
void scatter_by_columns(int threads, Local cols, bool hermitian, Scalar alpha, const Scalar *x, Scalar *y, const PiecesOf &pieces_of)
{
  for_each_part(threads, [&](int part) {
    const auto at = [&](int p) { return static_cast<Local>(std::int64_t(cols) * p / threads); };
    if (hermitian) scatter_columns<true>(at(part), at(part + 1), alpha, x, y, pieces_of());
    else scatter_columns<false>(at(part), at(part + 1), alpha, x, y, pieces_of());
  });
}

} // namespace petscspmv::kernels
