#pragma once

/// \file csr.hpp
/// Products of plain CSR with several vectors at once.

#include <complex>
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

/// All of Y = alpha op(A) X + beta Y: passes, and single(x, y), a product with one vector, for what is not worth one.
/// `packed` is for passes of this op.
template <class Scalar, class Index, class Single>
void multiply_many(const CsrView<Scalar, Index> &a, bool transposed, Isa isa, int threads, ScratchPool<Arena> &packed, Scalar alpha,
                   const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int columns, const Single &single)
{
  in_passes(columns, x, ldx, y, ldy, single, [&](const Scalar *xs, Scalar *ys, int n) {
    if (alpha == Scalar(0) || a.nonzeros() == 0)
      for (int c = 0; c < n; ++c) single(xs + c * ldx, ys + c * ldy);
    else
      (transposed ? multiply_columns_transposed<Scalar, Index> : multiply_columns<Scalar, Index>)(a, isa, threads, packed, alpha, xs, ldx,
                                                                                                  beta, ys, ldy, n);
  });
}

/// Tells of the memory that such products of both kinds have.
template <class Scalar, class Index>
void tell_packed(const CsrView<Scalar, Index> &a, const ScratchPool<Arena> &packed, const ScratchPool<Arena> &packed_transposed,
                 Facts &facts)
{
  const auto        sets = [](const ScratchPool<Arena> &pool) { return static_cast<std::size_t>(pool.count()); };
  const std::size_t bytes =
    sets(packed) * packed_bytes<Scalar>(a.cols) + sets(packed_transposed) * packed_bytes<Scalar>(std::int64_t(a.rows) + a.cols);
  if (bytes > 0) facts.emplace_back(packed_fact, std::to_string(bytes));
}

} // namespace petscspmv::kernels
