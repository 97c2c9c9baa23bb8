#pragma once

/// \file aijlight_impl.hpp
/// What an AijLight owns on the host besides the arrays it borrows.

#include <vector>

#include "impls/aijlight/aijlight.hpp"
#include "impls/aijlight/aijlight_kernels.hpp"
#include "impls/aijlight/aijlight_plan.hpp"
#include "kernels/host/scratch_pool.hpp"
#include "kernels/many/csr.hpp"

namespace petscspmv {

template <class Scalar, class Index> struct AijLight<Scalar, Index>::Impl {
  Impl(const View &a, const OptionValues &options, const Execution &execution);

  /// Reads the arrays of `a` from now on.
  void borrow(const View &a);

  std::vector<Scalar> new_part() const { return std::vector<Scalar>(static_cast<std::size_t>(plan.long_rows.pieces)); }

  View                                      view;
  aijlight::Plan<Scalar, Index>             plan;
  kernels::Isa                              isa;
  aijlight::Multiply<Scalar, Index>         kernel;
  int                                       threads;
  aijlight::Layout<Scalar, Index>           layout{};
  kernels::ScratchPool<std::vector<Scalar>> part; ///< sums of pieces of long rows
  kernels::PackedVectors                    packed;
};

} // namespace petscspmv
