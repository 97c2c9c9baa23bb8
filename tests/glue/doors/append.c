/* append <library> <times>: loads the library after PetscInitialize(), so many times, and converts a matrix to aijspec. */
#include <petscmat.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  Mat     A;
  MatType type;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  for (int time = 0; time < atoi(argv[2]); time++) PetscCall(PetscDLLibraryAppend(PETSC_COMM_WORLD, &PetscDLLibrariesLoaded, argv[1]));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 9, 9, 1, NULL, 0, NULL, &A));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatConvert(A, "aijspec", MAT_INPLACE_MATRIX, &A));
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "type %s\n", type));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
