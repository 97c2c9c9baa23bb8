#pragma once

/// \file sparse_product.hpp
/// A B, A^T B, A B^T, P^T A P and R A R^T of sparse matrices, on the host or on a device, by our kernels (MatMatMult,
/// MatTransposeMatMult, MatMatTransposeMult, MatPtAP, MatRARt), where a factor has a method, or is a prolongator of
/// ours, and nobody names an algorithm.

#include "glue/compat.hpp"

namespace petscspmv::shadow {

/// Calls set(), which is PETSc's own function that chooses how the product C is made. Takes the place of its symbolic
/// function where ours can do that; what cannot be made is PETSc's after all.
PetscErrorCode SetSparseProduct(Mat C, PetscErrorCode (*set)(Mat));

} // namespace petscspmv::shadow
