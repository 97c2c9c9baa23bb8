#pragma once

/// \file ordering.hpp
/// The order of rows by coloured blocks (impls/sweeps/blocks.hpp) of a PETSc matrix.

#include <string>

#include "glue/sync.hpp"
#include "impls/sweeps/blocks.hpp"

namespace petscspmv::shadow {

/// Of a square sequential AIJ matrix with this view, whose values it brings to the host. Rows of a block of the matrix
/// (MatSetBlockSize()) stay together.
PetscErrorCode GetBlockOrder(Mat A, const View &view, const Execution &execution, BlockOrder<PetscInt> *order);

/// "coloured blocks (1024 in 8 colours)"
std::string Described(const BlockOrder<PetscInt> &order);

/// Makes it an ordering of PETSc's. After each PetscInitialize(), as InstallHooks().
PetscErrorCode RegisterBlockOrdering(const char name[]);

} // namespace petscspmv::shadow
