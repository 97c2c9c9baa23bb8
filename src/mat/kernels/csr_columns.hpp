#pragma once

/// \file csr_columns.hpp
/// Products of plain CSR with several vectors at once.

#include <complex>
#include <cstdint>

#include "core/csr_view.hpp"
#include "kernels/arena.hpp"
#include "kernels/isa.hpp"

namespace petscspmv::kernels {

/// A pass of Y = alpha A X + beta Y (see multiply_many() of the contract), for formats that borrow the arrays of their view: at most
/// pass_columns vectors. A row is one thread's work, its entries in their order.
///
/// `packed` is memory for X, which is allocated when it is needed first; that throws std::bad_alloc, and Y is then as it was.
template <class Scalar, class Index>
void multiply_columns(const CsrView<Scalar, Index> &a, Isa isa, int threads, Arena &packed, Scalar alpha, const Scalar *x, std::int64_t ldx,
                      Scalar beta, Scalar *y, std::int64_t ldy, int columns);

} // namespace petscspmv::kernels
