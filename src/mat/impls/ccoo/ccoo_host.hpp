#pragma once

/// \file ccoo_host.hpp
/// A matrix on the host.

#include <functional>
#include <memory>
#include <optional>

#include "impls/ccoo/ccoo.hpp"
#include "impls/ccoo/ccoo_pieces.hpp"
#include "impls/ccoo/order/renumbering.hpp"
#include "kernels/host/scratch.hpp"

namespace petscspmv::ccoo {

template <class Scalar, class Index> class HostMatrix final : public Format<Scalar, Index> {
  using View = CsrView<Scalar, Index>;

public:
  HostMatrix(const View &a, const OptionValues &options, const Execution &execution);

  void      multiply(Operation, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) override;
  void      multiply_many(Operation op, Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy,
                          int columns) override;
  bool      leaves_several() const override { return pieces_->scattered; }
  Footprint footprint() const override;
  Facts     facts() const override;

  /// Calls visit(row, column, value) for every entry as it is kept: rows of a tile are mixed, the entries of a row are
  /// in their order.
  void decode(const std::function<void(std::int32_t, std::int32_t, Scalar)> &visit) const;

private:
  void take_values(const View &a) override;
  void multiply_pass(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int n);

  /// What a product with n vectors writes besides y: vectors in another order, and behind them what chunks know.
  std::size_t scratch_bytes(int n) const { return vector_bytes(n) + pieces_->carry_bytes(n); }
  std::size_t vector_bytes(int n) const { return order_ ? order_->vector_bytes(n) : 0; }

  std::unique_ptr<RenumberedProducts<Scalar>> order_; ///< row permutation; null if rows are in their own order
  std::optional<HostPieces<Scalar, Index>>    pieces_;
  kernels::ScratchClaim                       scratch_;
};

} // namespace petscspmv::ccoo
