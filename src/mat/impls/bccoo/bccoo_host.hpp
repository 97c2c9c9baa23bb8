#pragma once

/// \file bccoo_host.hpp
/// A matrix on the host.

#include <cstdint>
#include <functional>
#include <vector>

#include "impls/bccoo/bccoo.hpp"
#include "impls/bccoo/bccoo_kernels.hpp"
#include "impls/bccoo/bccoo_plan.hpp"
#include "kernels/host/arena.hpp"
#include "kernels/host/scratch.hpp"

namespace petscspmv::bccoo {

template <class Scalar, class Index> class HostMatrix final : public Format<Scalar, Index> {
  using View = CsrView<Scalar, Index>;
  using Plan = bccoo::Plan<Scalar, Index>;

public:
  HostMatrix(const View &a, const OptionValues &options, const Execution &execution);

  void      multiply(Operation, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) override;
  void      multiply_many(Operation op, Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy,
                          int columns) override;
  Footprint footprint() const override;
  Facts     facts() const override;

  /// Calls visit(row, column, value) for every entry as it is kept: slice by slice, block row by block row, block by
  /// block, and in a block as its values are kept.
  void decode(const std::function<void(std::int32_t, std::int32_t, Scalar)> &visit) const;

private:
  /// If a tile's values do not fit their coding any more, all is analysed and written anew.
  void take_values(const View &a) override;
  /// What a product with n vectors writes besides y: sums of parts of cut block rows of each, and behind them those of
  /// slices, [slices][block rows][rows of a block].
  std::size_t scratch_bytes(int n) const
  {
    return (static_cast<std::size_t>(n) * plan_.parts() + static_cast<std::size_t>(plan_.waiting())) * sizeof(Scalar);
  }

  /// Y = alpha A X + beta Y with alpha != 0 and n vectors, for which scratch memory has been claimed; with one, if
  /// there are slices.
  void multiply_pass(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int n);

  Layout<Scalar>           layout() const;
  void                     allocate();
  void                     write(const View &a);
  template <bool all> bool write_tiles(const View &a);
  void                     deal();

  OptionValues                options_;
  int                         threads_;
  kernels::Isa                isa_;
  Plan                        plan_;
  Multiply<Scalar>            kernel_;
  kernels::Arena              structure_, columns_, values_;
  std::vector<const Scalar *> tables_; ///< of plan_.tables, and one more that nobody uses
  std::vector<std::size_t>    shares_; ///< thread i has the tiles shares[i] .. shares[i + 1] - 1
  kernels::ScratchClaim       scratch_;
};

} // namespace petscspmv::bccoo
