#pragma once

/// \file gamg.hpp
/// PCGAMG with PETSc's hierarchy, of which we make aggregates and prolongators.

#include "glue/compat.hpp"

namespace petscspmv::shadow {

/// From now on, we make aggregates and prolongators of matrices with a method for PCGAMG of the type agg, where its
/// settings are some that we know. After each PetscInitialize(). Nothing in programs that have not loaded PETSc's
/// solvers.
PetscErrorCode HookGamg();

} // namespace petscspmv::shadow
