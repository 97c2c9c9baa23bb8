#pragma once

/// \file csr_copy.hpp
/// A CSR matrix of one's own: a transposed one.

#include <cstddef>
#include <vector>

#include "core/csr_view.hpp"

namespace petscspmv::kernels {

template <class Scalar, class Index> struct Csr {
  Index               rows, cols;
  std::vector<Index>  row_ptr, col;
  std::vector<Scalar> val;

  CsrView<Scalar, Index> view() const { return {rows, cols, row_ptr.data(), col.data(), val.data(), 0, nullptr}; }
};

/// A^T; entries of a row in the order of the rows of A.
template <class Scalar, class Index> Csr<Scalar, Index> transposed(const CsrView<Scalar, Index> &a)
{
  const auto         at = [](Index i) { return static_cast<std::size_t>(i); };
  Csr<Scalar, Index> t{a.cols, a.rows, std::vector<Index>(at(a.cols) + 1), std::vector<Index>(at(a.nonzeros())),
                       std::vector<Scalar>(at(a.nonzeros()))};
  for (Index i = 0; i < a.nonzeros(); ++i) ++t.row_ptr[at(a.col[i]) + 1];
  for (Index c = 0; c < a.cols; ++c) t.row_ptr[at(c) + 1] += t.row_ptr[at(c)];
  std::vector<Index> next(t.row_ptr.begin(), t.row_ptr.end() - 1);
  for (Index r = 0; r < a.rows; ++r)
    for (Index i = a.row_ptr[r]; i < a.row_ptr[r + 1]; ++i) {
      const std::size_t to = at(next[at(a.col[i])]++);
      t.col[to]            = r;
      t.val[to]            = a.val[i];
    }
  return t;
}

} // namespace petscspmv::kernels
