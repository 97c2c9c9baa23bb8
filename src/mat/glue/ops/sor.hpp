#pragma once

/// \file sor.hpp
/// MatSOR.

#include "glue/shadow.hpp"

namespace petscspmv::shadow {

/// Whether the options let our sweeps do MatSOR() for a matrix whose home is there, or have not been read: MatSOR() may
/// be the first that does it.
bool MaySweep(const Shadow &shadow, MemorySpace home);

/// Whether they do where PETSc's are predicted to be faster, too.
Making WhenToSweep(const Shadow &shadow);

/// Whether they go through coloured blocks of rows.
bool SweepsByBlocks(const Shadow &shadow);

/// Sweeps point by point, as PETSc does for a matrix without inodes, in the memory of the matrix and the vectors.
/// Leaves to PETSc what our sweeps cannot do.
PetscErrorCode MatSOR_SeqShadow(Mat A, Vec b, PetscReal omega, MatSORType flag, PetscReal shift, PetscInt its, PetscInt lits, Vec x);

} // namespace petscspmv::shadow
