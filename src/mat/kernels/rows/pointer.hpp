#pragma once

/// \file pointer.hpp
/// The one pass over a row pointer, while a matrix is built.

#include <cstdint>
#include <limits>
#include <string>

#include "core/errors.hpp"

namespace petscspmv::kernels {

/// Calls visit(row, entries) for each row in order. Throws FormatError afterwards if the row pointer decreases
/// anywhere; what `visit` was told is then worth nothing, but `entries` was never negative.
template <class Index, class Visit> void visit_rows(const Index *row_ptr, Index rows, Visit &&visit)
{
  std::uint64_t backwards = 0;
  for (Index r = 0; r < rows; ++r) {
    const bool decreases = row_ptr[r] > row_ptr[r + 1];
    backwards += decreases;
    visit(r, decreases ? Index(0) : row_ptr[r + 1] - row_ptr[r]);
  }
  if (backwards > 0)
    throw FormatError("The row pointer decreases in " + std::to_string(backwards) + " places. If the matrix has more than " +
                      std::to_string(std::numeric_limits<Index>::max()) + " nonzeros, use a PETSc configured with --with-64-bit-indices.");
}

} // namespace petscspmv::kernels
