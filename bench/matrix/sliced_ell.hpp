#pragma once

/// \file sliced_ell.hpp
/// Sliced ELLPACK (Monakov, Lokhmotov, Avetisyan, HiPEAC 2010).

#include "matrix/csr.hpp"

namespace petscspmv::bench {

/// Slices of `height` rows, each as wide as its longest row, stored column by column. Empty places have column -1 and
/// value 0.
struct SlicedEll {
  Index               height = 0;
  std::vector<Index>  slice_ptr; ///< [slices + 1], places before each slice
  std::vector<Index>  col;       ///< [places]
  std::vector<double> val;       ///< [places]
};

/// Places of the matrix: nonzeros and those left empty, also in the rows that the last slice lacks.
std::int64_t sliced_ell_places(const CsrMatrix &a, Index height);

/// `values` in the order of the matrix's own. Throws InputError if there are more places than an Index can count.
SlicedEll to_sliced_ell(const CsrMatrix &a, const std::vector<double> &values, Index height);

} // namespace petscspmv::bench
