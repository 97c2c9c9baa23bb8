#pragma once

/// \file galerkin.hpp
/// P^T A P of sparse matrices (MatPtAP): by our kernels on a device, and by the faster of PETSc's algorithms on the host. Where
/// A has a method, or P is a prolongator of ours, and no option names an algorithm.

#include "glue/compat.hpp"

namespace petscspmv::shadow {

/// Before PETSc sets a product: chooses an algorithm of its own.
PetscErrorCode ChooseGalerkin(Mat C);

/// After that: takes the place of its symbolic function, if C is a product of matrices on a device. PETSc's does what ours cannot.
PetscErrorCode OfferGalerkin(Mat C);

} // namespace petscspmv::shadow
