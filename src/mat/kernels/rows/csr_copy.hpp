#pragma once

/// \file csr_copy.hpp
/// A CSR matrix of one's own, made from entries in any order: a transposed one, for instance.

#include <cstddef>
#include <vector>

#include "core/csr_view.hpp"

namespace petscspmv::kernels {

template <class Scalar, class Index> struct Csr {
  Index               rows, cols;
  std::vector<Index>  row_ptr, col;
  std::vector<Scalar> val;

  CsrView<Scalar, Index> view() const { return {rows, cols, row_ptr.data(), col.data(), val.data(), 0, nullptr}; }

  /// `entries(visit)` calls visit(row, column, value) for each entry, twice the same ones in the same order, which
  /// those of a row keep.
  template <class Entries>
  Csr(Index rows_, Index cols_, const Entries &entries) : rows(rows_), cols(cols_), row_ptr(static_cast<std::size_t>(rows_) + 1)
  {
    entries([this](Index row, Index, Scalar) { ++row_ptr[static_cast<std::size_t>(row) + 1]; });
    for (std::size_t r = 1; r < row_ptr.size(); ++r) row_ptr[r] += row_ptr[r - 1];
    col.resize(static_cast<std::size_t>(row_ptr.back()));
    val.resize(col.size());
    std::vector<Index> next(row_ptr.begin(), row_ptr.end() - 1);
    entries([&](Index row, Index column, Scalar value) {
      const auto i = static_cast<std::size_t>(next[static_cast<std::size_t>(row)]++);
      col[i]       = column;
      val[i]       = value;
    });
  }
};

/// A^T; entries of a row in the order of the rows of A.
template <class Scalar, class Index> Csr<Scalar, Index> transposed(const CsrView<Scalar, Index> &a)
{
  return {a.cols, a.rows, [&a](const auto &visit) {
            for (Index r = 0; r < a.rows; ++r)
              for (Index i = a.row_ptr[r]; i < a.row_ptr[r + 1]; ++i) visit(a.col[i], r, a.val[i]);
          }};
}

} // namespace petscspmv::kernels
