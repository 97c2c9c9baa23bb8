#pragma once

/// \file product.hpp
/// Products of sparse matrices with a structure that is kept for new values.
///
/// Row by row (Gustavson, ACM Trans. Math. Software 4, 1978), in two steps: the pattern of C, and for each product of
/// two entries its place in the row of C, which takes 8 bits as long as no row has many; then values, for which nothing
/// is searched any more. A triple product keeps A P, and one with a transposed second factor keeps that. Each entry of
/// C is a sum in the order of A's columns, or rows for A^T, by one thread: the same bits in each run, first or with new
/// values, whatever the number of threads.

#include <memory>
#include <span>

#include "core/csr_view.hpp"
#include "core/execution.hpp"

namespace petscspmv {

/// A B, A^T B, A B^T, or with B = P, P^T A P, or with B = R, R A R^T: without conjugates.
enum class ProductKind { ab, atb, abt, ptap, rart };

/// Rows and columns of the blocks that the factors may consist of. Where they do, and their blocks fit, each block
/// takes one place; else they count for nothing.
template <class Index> struct FactorBlocks {
  Index a_rows = 1, a_cols = 1, b_rows = 1, b_cols = 1;
};

template <class Scalar, class Index> class SparseProduct {
public:
  using View = CsrView<Scalar, Index>;

  virtual ~SparseProduct() = default;

  /// Of C, on the host: [rows + 1]. Entries are there that cancel or are zero.
  virtual std::span<const Index> row_ptr() const = 0;

  /// C's columns, ascending in each row, to host memory: [row_ptr[rows]].
  virtual void columns(Index *to) const = 0;

  /// Frees both.
  virtual void forget_pattern() = 0;

  /// Writes the entries of C, [row_ptr[rows]], within (products + 4) eps |A| |B|. False, and nothing is written, if a
  /// factor has not the pattern that this was made from. Does not throw.
  virtual bool values(const View &a, const View &b, Scalar *c) = 0;

  /// Floating-point operations of values().
  virtual double flops() const = 0;
};

/// Of factors in this memory, where C's values are to be, too; those on a device with their patterns on both sides. The
/// inner sizes of the factors must agree. Throws std::bad_alloc or FormatError: Kokkos cannot be started, Index cannot
/// number the entries of C or of A P, there are so many products that their places would take several times the memory
/// of the factors, or, on a device, a row of C or A P has thousands of columns.
template <class Scalar, class Index>
std::unique_ptr<SparseProduct<Scalar, Index>> make_product(ProductKind kind, const CsrView<Scalar, Index> &a,
                                                           const CsrView<Scalar, Index> &b, const FactorBlocks<Index> &blocks,
                                                           const Execution &execution);

} // namespace petscspmv
