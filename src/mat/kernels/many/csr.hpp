#pragma once

/// \file csr.hpp
/// Products of plain CSR with several vectors at once.

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/csr_view.hpp"
#include "core/format.hpp"
#include "kernels/host/arena.hpp"
#include "kernels/host/scratch_pool.hpp"
#include "kernels/lanes/isa.hpp"
#include "kernels/many/columns.hpp"

namespace petscspmv::kernels {

/// A pass of Y = alpha A X + beta Y (see multiply_many() of the contract), for formats that borrow the arrays of their
/// view: at most pass_columns vectors. A row is one thread's work, its entries in their order.
///
/// `packed` has memory for X, which is allocated when it is needed first; that throws std::bad_alloc, and Y is then as
/// it was.
template <class Scalar, class Index>
void multiply_columns(const CsrView<Scalar, Index> &a, Isa isa, int threads, ScratchPool<Arena> &packed, Scalar alpha, const Scalar *x,
                      std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int columns);

/// The same with A^T. A column of A is one thread's work. `packed` has memory for X and the sums.
template <class Scalar, class Index>
void multiply_columns_transposed(const CsrView<Scalar, Index> &a, Isa isa, int threads, ScratchPool<Arena> &packed, Scalar alpha,
                                 const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int columns);

/// Memory for the passes of a matrix: X, and for transposed products X and the sums.
struct PackedVectors {
  ScratchPool<Arena> plain, transposed;
};

/// All of Y = alpha op(A) X + beta Y by a format that borrows the arrays of `a`, op being none or transpose: passes, and
/// its products with one vector for what is not worth one.
template <class Format, class Scalar, class Index>
void multiply_many(Format &format, const CsrView<Scalar, Index> &a, Operation op, Isa isa, int threads, PackedVectors &packed, Scalar alpha,
                   const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int columns)
{
  const auto single = [&](const Scalar *xc, Scalar *yc) { format.multiply(op, alpha, xc, beta, yc); };
  in_passes(columns, x, ldx, y, ldy, single, [&](const Scalar *xs, Scalar *ys, int n) {
    if (alpha == Scalar(0) || a.nonzeros() == 0)
      for (int c = 0; c < n; ++c) single(xs + c * ldx, ys + c * ldy);
    else if (op == Operation::none) multiply_columns(a, isa, threads, packed.plain, alpha, xs, ldx, beta, ys, ldy, n);
    else multiply_columns_transposed(a, isa, threads, packed.transposed, alpha, xs, ldx, beta, ys, ldy, n);
  });
}

/// Tells of that memory.
template <class Scalar, class Index> void tell_packed(const CsrView<Scalar, Index> &a, const PackedVectors &packed, Facts &facts)
{
  const auto        sets = [](const ScratchPool<Arena> &pool) { return static_cast<std::size_t>(pool.count()); };
  const std::size_t bytes =
    sets(packed.plain) * packed_bytes<Scalar>(a.cols) + sets(packed.transposed) * packed_bytes<Scalar>(std::int64_t(a.rows) + a.cols);
  if (bytes > 0) facts.emplace_back(packed_fact, std::to_string(bytes));
}

} // namespace petscspmv::kernels
