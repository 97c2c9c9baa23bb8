#pragma once

/// \file bidiagonal.hpp
/// A matrix for programs that know nothing of the plugin: of the type that the options ask for, with 2 on the diagonal
/// and -1 below.

#include <petscmat.h>

struct Bidiagonal {
  Mat A = NULL;
  Vec x = NULL, y = NULL; ///< x: ones

  PetscErrorCode make(MPI_Comm comm, PetscInt n)
  {
    PetscInt first, last;

    PetscFunctionBeginUser;
    PetscCall(MatCreate(comm, &A));
    PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, n, n));
    PetscCall(MatSetFromOptions(A));
    PetscCall(MatSetUp(A));
    PetscCall(MatGetOwnershipRange(A, &first, &last));
    for (PetscInt i = first; i < last; ++i) {
      PetscCall(MatSetValue(A, i, i, 2, INSERT_VALUES));
      if (i > 0) PetscCall(MatSetValue(A, i, i - 1, -1, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatCreateVecs(A, &x, &y));
    PetscCall(VecSet(x, 1));
    PetscFunctionReturn(0);
  }

  PetscErrorCode destroy()
  {
    PetscFunctionBeginUser;
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
  }
};
