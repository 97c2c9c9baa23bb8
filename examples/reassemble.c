static char help[] = "Solves a system whose values change in each time step and whose pattern does not.\n\
  -n <n>      n x n points\n\
  -steps <s>  time steps\n\n";

/*
   Heat in a plate with a conductivity that changes in time, by implicit Euler steps: (I + dt k(t) L) u_new = u_old, with L the
   five-point Laplacian. The application assembles its matrix in each step as it always did. What petscspmv keeps beside the
   matrix is built in the first step only; after that only its values are refreshed.

   To build:  make reassemble        (in this folder; also built by `make` at the top of the checkout)
   To run:    ./reassemble           or mpiexec -n 2 ./reassemble

   It prints, on one process,

     step  iterations  built  refreshed
        1          11      1          0
        2          14      1          1
        3          15      1          2

   and so on. On several processes it counts what they all do together, twice for each: a parallel matrix has two local blocks.
*/
#include <petscksp.h>
#include <petscspmv.h>

static PetscErrorCode Assemble(Mat A, PetscInt n, PetscReal weight)
{
  PetscInt first, last;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt row = first; row < last; row++) {
    const PetscInt    i = row / n, j = row % n;
    const PetscInt    cols[] = {row, i > 0 ? row - n : -1, j > 0 ? row - 1 : -1, j < n - 1 ? row + 1 : -1, i < n - 1 ? row + n : -1};
    const PetscScalar vals[] = {1 + 4 * weight, -weight, -weight, -weight, -weight};

    PetscCall(MatSetValues(A, 1, &row, 5, cols, vals, INSERT_VALUES)); /* negative columns are left out */
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

/* How often the format was built and refreshed so far, on all processes together */
static PetscErrorCode Counts(Mat A, PetscInt total[2])
{
  PetscInt local[2];

  PetscFunctionBeginUser;
  PetscCall(MatSpMVGetCounts(A, &local[0], &local[1]));
  PetscCallMPI(MPI_Allreduce(local, total, 2, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  Mat      A;
  Vec      u, old;
  KSP      ksp;
  PetscInt n = 100, steps = 5, iterations, counts[2];

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-steps", &steps, NULL));
  PetscCall(MatCreateSpMV(PETSC_COMM_WORLD, MATAIJSPEC, PETSC_DECIDE, PETSC_DECIDE, n * n, n * n, 5, NULL, 2, NULL, &A));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatCreateVecs(A, &u, &old));
  PetscCall(VecSetRandom(u, NULL));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetType(ksp, KSPBCGS));
  PetscCall(KSPSetFromOptions(ksp));

  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "step  iterations  built  refreshed\n"));
  for (PetscInt step = 1; step <= steps; step++) {
    PetscCall(Assemble(A, n, 10. * step));
    PetscCall(VecCopy(u, old));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPSolve(ksp, old, u));
    PetscCall(KSPGetIterationNumber(ksp, &iterations));
    PetscCall(Counts(A, counts));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%4" PetscInt_FMT "  %10" PetscInt_FMT "  %5" PetscInt_FMT "  %9" PetscInt_FMT "\n", step,
                          iterations, counts[0], counts[1]));
  }

  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&old));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
