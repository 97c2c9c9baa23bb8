#pragma once

/// \file owned_arrays.hpp
/// AIJ matrices of arrays that are made here, which they have until they are destroyed.

#include <memory>
#include <vector>

#include "glue/compat.hpp"

namespace petscspmv::shadow {

/// What such a matrix has under this name.
inline constexpr char kArraysKey[] = "petscspmv_arrays";

struct OwnedArrays {
  std::vector<PetscInt>          row_ptr, col;
  std::unique_ptr<PetscScalar[]> values;
  int                            threads = 1; ///< for products that the matrix is a factor of
};

/// A sequential matrix with these arrays, of the type of `like`, and bound to the CPU as that.
PetscErrorCode CreateWithArrays(Mat like, std::unique_ptr<OwnedArrays> arrays, PetscInt rows, PetscInt row_block, PetscInt cols,
                                PetscInt col_block, Mat *made);

} // namespace petscspmv::shadow
