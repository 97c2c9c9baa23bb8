/* A PETSc program that knows nothing of petscspmv: multiplies a matrix of the type that the options ask for. */
#include <petscmat.h>

int main(int argc, char **argv)
{
  Mat       A;
  Vec       x, y;
  PetscInt  n = 10, first, last;
  PetscReal norm;
  MatType   type;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatSetUp(A));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt row = first; row < last; row++) {
    const PetscInt    cols[] = {row, row + 1};
    const PetscScalar vals[] = {2, -1};

    PetscCall(MatSetValues(A, 1, &row, row + 1 < n ? 2 : 1, cols, vals, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecNorm(y, NORM_1, &norm)); /* n - 1 rows with 2 - 1, one with 2 */
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "type %s norm %g\n", type, (double)norm));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
