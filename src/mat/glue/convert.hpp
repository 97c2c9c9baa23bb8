#pragma once

/// \file convert.hpp
/// MatConvert in all directions, and MatDuplicate.

#include "glue/compat.hpp"

namespace petscspmv::shadow {

PetscErrorCode MatConvert_Shadow(Mat A, MatType type, MatReuse reuse, Mat *B);     ///< from a type of ours (MATOP_CONVERT)
PetscErrorCode MatConvertFrom_Shadow(Mat A, MatType type, MatReuse reuse, Mat *B); ///< to a type of ours (MATOP_CONVERT_FROM)
PetscErrorCode MatDuplicate_Shadow(Mat A, MatDuplicateOption how, Mat *B);

} // namespace petscspmv::shadow
