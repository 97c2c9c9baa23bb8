#pragma once

/// \file csr.hpp
/// Products of plain CSR with several vectors at once.

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/csr_view.hpp"
#include "core/format.hpp"
#include "kernels/host/scratch.hpp"
#include "kernels/lanes/isa.hpp"
#include "kernels/many/columns.hpp"

namespace petscspmv::kernels {

/// A pass of Y = alpha A X + beta Y (see multiply_many() of the contract), for formats that borrow the arrays of their
/// view: at most pass_columns vectors. A row is one thread's work, its entries in their order.
///
/// `scratch` is raised for X when that is needed first; that throws std::bad_alloc, and Y is then as it was.
template <class Scalar, class Index>
void multiply_columns(const CsrView<Scalar, Index> &a, Isa isa, int threads, ScratchClaim &scratch, Scalar alpha, const Scalar *x,
                      std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int columns);

/// The same with A^T. A column of A is one thread's work. `scratch` is for X and the sums.
template <class Scalar, class Index>
void multiply_columns_transposed(const CsrView<Scalar, Index> &a, Isa isa, int threads, ScratchClaim &scratch, Scalar alpha,
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
      else if (op == Operation::none) multiply_columns(view_, isa_, threads_, scratch_, alpha, xs, ldx, beta, ys, ldy, n);
      else multiply_columns_transposed(view_, isa_, threads_, scratch_, alpha, xs, ldx, beta, ys, ldy, n);
    });
  }

protected:
  explicit BorrowingFormat(Isa isa) : isa_(isa) { }

  /// Facts of all of them, behind `facts`.
  Facts with_common(Facts facts) const
  {
    facts.emplace_back("instruction set", std::string(name(isa_)));
    facts.emplace_back("threads", std::to_string(threads_));
    return facts;
  }

  CsrView<Scalar, Index> view_;
  Isa                    isa_;
  int                    threads_ = 1;
  ScratchClaim           scratch_; ///< of products with one vector, and with several
};

} // namespace petscspmv::kernels
