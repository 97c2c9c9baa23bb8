#pragma once

/// \file swept_pattern.hpp
/// The pattern that sweeps and incomplete factors work on: in another order of rows perhaps, and with fill.

#include "core/csr_view.hpp"
#include "impls/sweeps/schedule.hpp"

namespace petscspmv::sweeps {

/// A pattern that is made of another one.
template <class Index> struct MadePattern {
  UnsetVector<Index> row_ptr; ///< [rows + 1]
  UnsetVector<Index> col;     ///< [row_ptr[rows]] ascending in each row
  UnsetVector<Index> source;  ///< [row_ptr[rows]] entries of the other one; -k: it has none there, fill of level k
};

/// That of a matrix, whose arrays it borrows, or one that is made of it.
template <class Index> struct SweptPattern {
  MadePattern<Index> made; ///< of the matrix's; arrays that are empty: the same as the matrix's
  UnsetVector<Index> diagonal;
  Pattern<Index>     pattern; ///< as it was made: what is borrowed may be gone, or have moved

  /// With the matrix's rows and columns in this order, [rows], if there is one. Throws FormatError unless the matrix is
  /// square, and as find_diagonal().
  template <class Scalar>
  SweptPattern(const CsrView<Scalar, Index> &a, const Index *order, int threads)
    : SweptPattern(a.rows, a.cols, a.row_ptr, a.col, order, threads)
  {
  }

  /// Takes the upper triangle and its transpose.
  void symmetrise(int threads);

  /// Adds fill: by the rule of levels (Saad, Iterative Methods for Sparse Linear Systems, 10.3.3) an entry has level 0,
  /// one that elimination makes of two others the sum of their levels and 1, or the least of such sums; entries of a
  /// higher level than `levels` are dropped. Throws FormatError if Index cannot number the rest.
  void fill(int levels, int threads);

  SweptPattern(SweptPattern &&) noexcept            = default;
  SweptPattern &operator=(SweptPattern &&) noexcept = default;

private:
  SweptPattern(Index rows, Index cols, const Index *row_ptr, const Index *col, const Index *order, int threads);
  void become(MadePattern<Index> &&next, int threads);
};

} // namespace petscspmv::sweeps
