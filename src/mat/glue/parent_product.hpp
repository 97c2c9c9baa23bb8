#pragma once

/// \file parent_product.hpp
/// Products by AIJ's own functions.

#include "glue/enter.hpp"

namespace petscspmv::shadow {

/// y = op(A) x + beta y by the parent of a sequential matrix, beta being 0 or 1; `space` is that of the product
/// (ProductSpace()): where it is not the parent's, with copies of x and y.
PetscErrorCode MultiplyAsParent(const Entry &e, MemorySpace space, Operation op, Vec x, PetscScalar beta, Vec y);

} // namespace petscspmv::shadow
