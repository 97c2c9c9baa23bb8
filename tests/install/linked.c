/* A program that is linked with petscspmv and names its types. Compiled as C11: the header has to be C. */
#include <petscspmv.h>

int main(int argc, char **argv)
{
  Mat         A;
  MatType     type;
  const char *version;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscSpMVInitializePackage());
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetSizes(A, 1, 1, 1, 1));
  PetscCall(MatSetType(A, MATAIJSPEC));
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "type %s\n", type));
  PetscCall(PetscSpMVGetVersion(&version));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "version %s, compiled with %s = %d.%d.%d\n", version, PETSCSPMV_VERSION, PETSCSPMV_VERSION_MAJOR,
                        PETSCSPMV_VERSION_MINOR, PETSCSPMV_VERSION_SUBMINOR));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
