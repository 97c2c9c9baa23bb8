#pragma once

/// \file check.hpp
/// PETSc's error codes as exceptions.

#include <petscsys.h>

namespace petscspmv::bench {

/// Makes PETSc collect the sentence of an error instead of printing it. Call it after PetscInitialize.
void collect_petsc_errors();

/// Throws std::runtime_error with the sentence if `code` is an error.
void check_petsc(PetscErrorCode code);

} // namespace petscspmv::bench
