#pragma once

/// \file factor.hpp
/// ILU(k) and ICC(k): who makes the factors.

#include "glue/compat.hpp"

namespace petscspmv::shadow {

/// From now on, incomplete factors of attached matrices are ours where sweeps may be.
/// After each PetscInitialize(), as InstallHooks().
PetscErrorCode HookFactors();

/// Makes our factors a package of PETSc's, by this name, which must last.
PetscErrorCode RegisterFactorPackage(MatSolverType name);

} // namespace petscspmv::shadow
