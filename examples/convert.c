static char help[] = "Converts a matrix to the type aijspec and back inside an application.\n\n";

/*
   For a program that has its matrix already and wants faster products for a while: MatConvert() in both directions, in place
   or into a second matrix. The program names a type of petscspmv, so it is linked with the library and makes its types known
   by PetscSpMVInitializePackage(). (Without linking, the name "aijspec" and the option -dll_append do the same.)

   To build:  make convert        (in this folder; also built by `make` at the top of the checkout)
   To run:    ./convert           or mpiexec -n 2 ./convert

   It prints

     the application's matrix    seqaij
     converted in place          seqaijspec, products differ by 0.0e+00
     a second matrix             seqaijspec, products differ by 0.0e+00
     converted back in place     seqaij, products differ by 0.0e+00

   On two processes the types are mpiaij and mpiaijspec. The differences are relative and no larger than rounding errors.
*/
#include <petscspmv.h>

/* Rows of 1 to 5 entries: a band with holes in it */
static PetscErrorCode CreateMatrix(PetscInt n, Mat *A)
{
  PetscInt first, last;

  PetscFunctionBeginUser;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n, n, 5, NULL, 4, NULL, A));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (PetscInt row = first; row < last; row++) {
    for (PetscInt col = PetscMax(row - 2, 0); col <= PetscMin(row + 2, n - 1); col++) {
      if (col == row || (row + 3 * col) % 4)
        PetscCall(MatSetValue(*A, row, col, (PetscScalar)(1 + (2 * row + 5 * col) % 7), INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

/* Prints the type of A, and how far A x is from y */
static PetscErrorCode Compare(const char what[], Mat A, Vec x, Vec y)
{
  MatType   type;
  Vec       z;
  PetscReal difference, norm;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(y, &z));
  PetscCall(MatMult(A, x, z));
  PetscCall(VecAXPY(z, -1, y));
  PetscCall(VecNorm(z, NORM_2, &difference));
  PetscCall(VecNorm(y, NORM_2, &norm));
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-26s  %s, products differ by %.1e\n", what, type, (double)(difference / norm)));
  PetscCall(VecDestroy(&z));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  Mat      A, B;
  Vec      x, y;
  MatType  type;
  PetscInt n = 10000;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscSpMVInitializePackage());
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(CreateMatrix(n, &A));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSetRandom(x, NULL));
  PetscCall(MatMult(A, x, y));
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-26s  %s\n", "the application's matrix", type));

  PetscCall(MatConvert(A, MATAIJSPEC, MAT_INPLACE_MATRIX, &A));
  PetscCall(Compare("converted in place", A, x, y));
  PetscCall(MatConvert(A, MATAIJ, MAT_INPLACE_MATRIX, &A));
  PetscCall(MatConvert(A, MATAIJSPEC, MAT_INITIAL_MATRIX, &B));
  PetscCall(Compare("a second matrix", B, x, y));
  PetscCall(MatConvert(B, MATAIJ, MAT_INPLACE_MATRIX, &B));
  PetscCall(Compare("converted back in place", B, x, y));

  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(PetscFinalize());
  return 0;
}
