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

/// A format on the host that borrows the arrays of its view, with several vectors: passes, and products with one vector
/// for what is not worth one.
template <class Scalar, class Index> class BorrowingFormat : public Format<Scalar, Index> {
public:
  void multiply_many(Operation op, Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy,
                     int columns) override
  {
    const auto single = [&](const Scalar *xc, Scalar *yc) { this->multiply(op, alpha, xc, beta, yc); };
    in_passes(columns, x, ldx, y, ldy, single, [&](const Scalar *xs, Scalar *ys, int n) {
      if (alpha == Scalar(0) || view_.nonzeros() == 0)
        for (int c = 0; c < n; ++c) single(xs + c * ldx, ys + c * ldy);
      else if (op == Operation::none) multiply_columns(view_, isa_, threads_, plain_, alpha, xs, ldx, beta, ys, ldy, n);
      else multiply_columns_transposed(view_, isa_, threads_, transposed_, alpha, xs, ldx, beta, ys, ldy, n);
    });
  }

protected:
  explicit BorrowingFormat(Isa isa) : isa_(isa) { }

  /// Facts of all of them, behind `facts`.
  Facts with_common(Facts facts) const
  {
    const auto        sets = [](const ScratchPool<Arena> &pool) { return static_cast<std::size_t>(pool.count()); };
    const std::size_t bytes =
      sets(plain_) * packed_bytes<Scalar>(view_.cols) + sets(transposed_) * packed_bytes<Scalar>(std::int64_t(view_.rows) + view_.cols);
    facts.emplace_back("instruction set", std::string(name(isa_)));
    facts.emplace_back("threads", std::to_string(threads_));
    if (bytes > 0) facts.emplace_back(packed_fact, std::to_string(bytes));
    return facts;
  }

  CsrView<Scalar, Index> view_;
  Isa                    isa_;
  int                    threads_ = 1;

private:
  ScratchPool<Arena> plain_, transposed_; ///< X, and X with the sums
};

} // namespace petscspmv::kernels
