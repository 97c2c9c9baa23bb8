// Products with several vectors at once. A row of A, or for A^T a column, is one thread's work, its entries in their
// order.

#include <algorithm>

#include "core/for_each_type.hpp"
#include "impls/csr/csr_host.hpp"
#include "kernels/host/parallel.hpp"
#include "kernels/rows/search.hpp"

namespace petscspmv::csr {

template <class Scalar, class Index>
void HostMatrix<Scalar, Index>::multiply_many(Operation op, Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y,
                                              std::int64_t ldy, int columns)
{
  const auto single = [&](const Scalar *xc, Scalar *yc) { multiply(op, alpha, xc, beta, yc); };
  const bool pays   = alpha != Scalar(0) && view_.nonzeros() > 0;
  kernels::in_passes(pays, columns, x, ldx, y, ldy, single, [&](const Scalar *xs, Scalar *ys, int n) {
    multiply_pass(op != Operation::none, xs, ldx, {{alpha, beta, ys}, ldy, n});
  });
}

/// Y = alpha A X + beta Y, or the same with A^T. Throws std::bad_alloc, and Y is then as it was.
template <class Scalar, class Index>
void HostMatrix<Scalar, Index>::multiply_pass(bool transposes, const Scalar *x, std::int64_t ldx,
                                              const kernels::ColumnsUpdate<Scalar> &update)
{
  using kernels::pass_columns;
  const View        &a     = view_;
  const std::size_t  bytes = kernels::packed_bytes<Scalar>(std::int64_t(a.cols) + (transposes ? a.rows : 0));
  const std::int64_t all   = std::int64_t(a.rows) + a.nonzeros();
  scratch_.raise(bytes);
  const kernels::Scratch room = scratch_.borrow(bytes);
  Scalar *const packed = reinterpret_cast<Scalar *>(room.data()), *const sum = packed + std::int64_t(a.rows) * pass_columns;
  kernels::pack_columns(threads_, x, ldx, transposes ? a.rows : a.cols, update.columns, packed);
  // Where a part begins: so that all have about as many rows and entries together, or as many columns.
  const auto begin = [&](int part) {
    if (transposes) return static_cast<Index>(std::int64_t(a.cols) * part / threads_);
    return kernels::first_where(a.rows, [&](Index r) { return std::int64_t(r) + a.row_ptr[r] >= all * part / threads_; });
  };
  kernels::for_each_part(threads_, [&](int part) {
    constexpr Index block = 32; // rows that go into Y together, so that its columns are not written in turns entry by entry
    const Index     first = begin(part), last = begin(part + 1);
    if (!transposes) return kernels_.rows(a, first, last, packed, update);
    std::fill(sum + std::int64_t(first) * pass_columns, sum + std::int64_t(last) * pass_columns, Scalar(0));
    kernels_.scatter(a, first, last, packed, sum);
    for (Index row = first; row < last; row += std::min<Index>(block, last - row))
      update(row, sum + std::int64_t(row) * pass_columns, std::min<Index>(block, last - row));
  });
}

#define INSTANTIATE(S, I) \
  template void HostMatrix<S, I>::multiply_many(Operation, S, const S *, std::int64_t, S, S *, std::int64_t, int); \
  template void HostMatrix<S, I>::multiply_pass(bool, const S *, std::int64_t, const kernels::ColumnsUpdate<S> &);
PETSCSPMV_FOR_EACH_TYPE(INSTANTIATE)

} // namespace petscspmv::csr
