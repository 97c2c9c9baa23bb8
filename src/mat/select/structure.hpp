#pragma once

/// \file structure.hpp
/// What the cost model knows of a matrix besides the bytes of a format.

#include <vector>

#include "core/csr_view.hpp"

namespace petscspmv::select {

struct Structure {
  double rows = 0, cols = 0, nonzeros = 0;
  double vector_bytes = 0; ///< x and y, once each
  double x_bytes      = 0;
  double uneven       = 0; ///< share of rows that are not as long as the row before
  double near_misses  = 0; ///< share of entries whose x is in no line of a core's first cache
  double far_misses   = 0; ///< the same of its second cache
};

/// Rows are counted one by one, entries in `windows` (see Windows).
template <class Scalar, class Index>
Structure structure_of(const CsrView<Scalar, Index> &a, const std::vector<CsrView<Scalar, Index>> &windows);

} // namespace petscspmv::select
