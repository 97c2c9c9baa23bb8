#pragma once

/// \file factor_pattern.hpp
/// Where incomplete factors have entries: ILU(k) and ICC(k).

#include <vector>

#include "impls/sweeps/schedule.hpp"

namespace petscspmv::sweeps {

/// A pattern that is made of a matrix's.
template <class Index> struct MadePattern {
  std::vector<Index> row_ptr; ///< [rows + 1]
  std::vector<Index> col;     ///< [row_ptr[rows]] ascending in each row
  std::vector<Index> source;  ///< [row_ptr[rows]] entries of the matrix; -1: it has none there
};

/// The pattern of both factors of a matrix. It borrows the matrix's arrays if it is the same.
template <class Index> struct FactorPattern {
  MadePattern<Index> made;    ///< empty arrays: those of the matrix
  Pattern<Index>     pattern; ///< of both factors

  /// Of the upper triangle and its transpose, if `symmetric`. By the rule of levels (Saad, Iterative Methods for Sparse
  /// Linear Systems, 10.3.3) an entry of the matrix has level 0, one that elimination makes of two others the sum of their
  /// levels and 1, or the least of such sums; entries of a higher level than `levels` are dropped. Throws FormatError if
  /// Index cannot number the rest.
  FactorPattern(const Pattern<Index> &matrix, bool symmetric, int levels, int threads);

  FactorPattern(const FactorPattern &)            = delete;
  FactorPattern &operator=(const FactorPattern &) = delete;
};

} // namespace petscspmv::sweeps
