#pragma once

/// \file product.hpp
/// MatMatMult and its relatives: by names (product.cpp), and sparse times dense by the format (dense.cpp).

#include "glue/compat.hpp"

namespace petscspmv::shadow {

/// Lets the numeric phase of C = A B or A^T B run through A's format if A is attached and B is dense, both on the host
/// or both on a device, and of C = A B^T on the host; AIJ's functions for it are set. Of a parallel matrix, PETSc
/// multiplies the diagonal block by such a product A B, and the other one on AIJ's arrays.
PetscErrorCode ProductUsesFormat(Mat C);

/// Lets us make products of sparse matrices (sparse_product.hpp), and no product of matrices on a device, A being a
/// factor, read values that nobody has written. For any AIJ matrix, attached or not, and from then on.
PetscErrorCode GuardProducts(Mat A);

/// Lets PETSc ask us about products that A is a factor of, or no longer.
PetscErrorCode ComposeProducts(Mat A, bool named, bool ask_us);

} // namespace petscspmv::shadow
