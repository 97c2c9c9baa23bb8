#pragma once

/// \file hooks.hpp
/// Every AIJ matrix that PETSc creates is attached, if -mat_spmv says so.

#include <string>

#include "glue/door/registry.hpp"

namespace petscspmv::shadow {

/// From now on, PETSc's AIJ matrices are attached as they are created, if -mat_spmv names a method. After each
/// PetscInitialize().
PetscErrorCode InstallHooks();

/// From now on, incomplete factors of attached matrices are ours where sweeps may be. After each PetscInitialize().
PetscErrorCode HookFactors();

/// "aijspec, aijlight, ..., auto or none"
std::string MethodNames();

/// The method of this name, null for "none". Another name is an error.
PetscErrorCode FindMethod(const char name[], const MatKind **kind);

/// The method that -mat_spmv names for A, with A's prefix or without; null for none. A name that is none is an error.
PetscErrorCode MethodFromOptions(Mat A, const MatKind **kind, bool *given);

/// Attaches A to the method that -mat_spmv names, or detaches it if that is none; nothing where the option is not
/// given.
PetscErrorCode AttachByOptions(Mat A);

/// PETSc's own matrix of this type, which no option makes another one, nor attaches. After an error, too, A is to be
/// destroyed.
PetscErrorCode CreateParent(MatType type, Mat *A);

} // namespace petscspmv::shadow
