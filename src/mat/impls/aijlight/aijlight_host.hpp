#pragma once

/// \file aijlight_host.hpp
/// A matrix on the host.

#include <vector>

#include "impls/aijlight/aijlight.hpp"
#include "impls/aijlight/aijlight_kernels.hpp"
#include "kernels/host/scratch_pool.hpp"
#include "kernels/many/csr.hpp"

namespace petscspmv::aijlight {

/// What is decided before anything of size is allocated.
template <class Scalar, class Index> struct Plan {
  Plan(const CsrView<Scalar, Index> &a, const OptionValues &options);

  Order           order;
  Index           ticket; ///< rows of a ticket
  LongRows<Index> long_rows;
};

template <class Scalar, class Index> class HostMatrix final : public kernels::BorrowingFormat<Scalar, Index> {
  using Base = kernels::BorrowingFormat<Scalar, Index>;
  using View = CsrView<Scalar, Index>;

public:
  HostMatrix(const View &a, const OptionValues &options, const Execution &execution);

  void      refresh(const View &a) override;
  void      multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) override;
  Footprint footprint() const override;
  Facts     facts() const override;

private:
  std::vector<Scalar> new_part() const { return std::vector<Scalar>(static_cast<std::size_t>(plan_.long_rows.pieces)); }

  Plan<Scalar, Index>                       plan_;
  Multiply<Scalar, Index>                   kernel_;
  Layout<Scalar, Index>                     layout_{};
  kernels::ScratchPool<std::vector<Scalar>> part_; ///< sums of pieces of long rows
};

} // namespace petscspmv::aijlight
