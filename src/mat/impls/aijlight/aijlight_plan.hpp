#pragma once

/// \file aijlight_plan.hpp
/// What is decided before anything of size is allocated.

#include "core/csr_view.hpp"
#include "core/options.hpp"
#include "impls/aijlight/aijlight_layout.hpp"

namespace petscspmv::aijlight {

/// How the host goes through a matrix.
template <class Scalar, class Index> struct Plan {
  Plan(const CsrView<Scalar, Index> &a, const OptionValues &options);

  Order           order;
  Index           ticket; ///< rows of a ticket
  LongRows<Index> long_rows;
};

} // namespace petscspmv::aijlight
