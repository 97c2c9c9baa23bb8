#pragma once

/// \file exchange.hpp
/// Entries of x that are other ranks' come from device to device, where PETSc would bring them through the host and MPI.
///
/// PETSc's parallel product, and its MatSOR(), start and end the exchange by two functions of the matrix's PetscSF.

#include "glue/shadow.hpp"

namespace petscspmv::shadow {

/// Makes these two functions ours, or PETSc's again, as the option `exchange` and the place of A say. Whether devices reach
/// each other shows at the first product. Collective.
PetscErrorCode ChooseExchange(Mat A, const Shadow &shadow);

/// A line on it, if A is on a device.
PetscErrorCode ViewExchange(Mat A, PetscViewer viewer);

} // namespace petscspmv::shadow
