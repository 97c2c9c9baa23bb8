#pragma once

/// \file aijlight_plan.hpp
/// What is decided before anything of size is allocated.

#include <vector>

#include "core/csr_view.hpp"
#include "core/options.hpp"
#include "impls/aijlight/aijlight_layout.hpp"

namespace petscspmv::aijlight {

/// The rows that are cut, and into how many pieces.
template <class Index> struct LongRows {
  /// One pass over the row pointer: rows with more than `piece` entries. Throws FormatError if it is not a row pointer, or if there are
  /// more pieces than an Index can count.
  LongRows(const Index *row_ptr, Index rows, Index piece);

  Index                       piece;
  Index                       pieces = 0;
  std::vector<LongRow<Index>> list;
};

/// How the host goes through a matrix.
template <class Scalar, class Index> struct Plan {
  Plan(const CsrView<Scalar, Index> &a, const OptionValues &options);

  Order           order;
  Index           ticket; ///< rows of a ticket
  LongRows<Index> long_rows;
};

/// An option that says how many, where 0 leaves it to us, as an Index.
template <class Index> Index asked_or(const OptionValues &options, std::string_view key, std::int64_t otherwise);

} // namespace petscspmv::aijlight
