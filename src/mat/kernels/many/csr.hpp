#pragma once

/// \file csr.hpp
/// Products of plain CSR with several vectors at once.

#include <complex>
#include <cstdint>

#include "core/csr_view.hpp"
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

/// All of Y = alpha A X + beta Y: passes, and single(x, y), a product with one vector, for what is not worth one.
template <class Scalar, class Index, class Single>
void multiply_many(const CsrView<Scalar, Index> &a, Isa isa, int threads, ScratchPool<Arena> &packed, Scalar alpha, const Scalar *x,
                   std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int columns, const Single &single)
{
  in_passes(columns, x, ldx, y, ldy, single, [&](const Scalar *xs, Scalar *ys, int n) {
    if (alpha == Scalar(0) || a.nonzeros() == 0)
      for (int c = 0; c < n; ++c) single(xs + c * ldx, ys + c * ldy);
    else multiply_columns(a, isa, threads, packed, alpha, xs, ldx, beta, ys, ldy, n);
  });
}

} // namespace petscspmv::kernels
