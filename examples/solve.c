static char help[] = "Solves A x = b with a matrix from a file, or with a generated one, on any number of processes.\n\
  -f <file>                     Matrix Market, also gzipped, or PETSc binary\n\
  -grid <n>                     instead of a file: convection and diffusion on n x n x n points\n\
  -rhs <product, ones, random>  b = A (1 ... 1)^T (the default), b = (1 ... 1)^T, or random numbers\n\
Matrix type, solver and preconditioner are chosen by PETSc's options: -mat_type, -ksp_type, -pc_type, -ksp_rtol, ...\n\n";

/*
   An ordinary PETSc program: it knows nothing of petscspmv, is not linked with it, and uses it if the options say so.

   To build:  make solve        (in this folder; also built by `make` at the top of the checkout)
   To run:    ./solve -f data/sherman3.mtx.gz -ksp_type bcgs
              ./solve -f data/sherman3.mtx.gz -ksp_type bcgs -options_file ../build/release/petsc_plugin.conf -mat_type aijspec
              mpiexec -n 2 ./solve -grid 40 ... the same

   It prints something like

     matrix      sherman3.mtx.gz: 5005 x 5005, 20033 nonzeros
     type        seqaijspec on 1 process
     solver      bcgs with ilu
     iterations  115, CONVERGED_RTOL
     residual    2.2e-09 = |b - A x| / |b|
     time        0.0011 s to set up, 0.0298 s to solve
*/
#include <petscksp.h>
#include <petsctime.h>
#include <string.h>

#include "matrixmarket.h"

static PetscErrorCode LoadMatrix(Mat A, const char file[])
{
  PetscBool   text;
  PetscViewer viewer;

  PetscFunctionBeginUser;
  PetscCall(MatrixMarketTest(PetscObjectComm((PetscObject)A), file, &text));
  if (text) {
    PetscCall(MatrixMarketLoad(A, file));
  } else {
    PetscCall(PetscViewerBinaryOpen(PetscObjectComm((PetscObject)A), file, FILE_MODE_READ, &viewer));
    PetscCall(MatLoad(A, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
  }
  PetscFunctionReturn(0);
}

/* -Laplace(u) + v . grad(u) by central differences, u = 0 on the boundary; the cell Peclet number is 1/2 in each direction */
static PetscErrorCode FillGrid(Mat A, PetscInt n)
{
  const PetscInt    stride[6] = {-n * n, -n, -1, 1, n, n * n};
  const PetscScalar weight[6] = {-1.25, -1.25, -1.25, -0.75, -0.75, -0.75};
  PetscInt          first, last;

  PetscFunctionBeginUser;
  PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, n * n * n, n * n * n));
  PetscCall(MatSeqAIJSetPreallocation(A, 7, NULL));
  PetscCall(MatMPIAIJSetPreallocation(A, 7, NULL, 6, NULL));
  PetscCall(MatSetUp(A));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt row = first; row < last; row++) {
    const PetscInt i[3]      = {row / (n * n), row / n % n, row % n};
    const PetscInt inside[6] = {i[0] > 0, i[1] > 0, i[2] > 0, i[2] < n - 1, i[1] < n - 1, i[0] < n - 1};

    PetscCall(MatSetValue(A, row, row, 6, INSERT_VALUES));
    for (int k = 0; k < 6; k++) {
      if (inside[k]) PetscCall(MatSetValue(A, row, row + stride[k], weight[k], INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

static PetscErrorCode FillRightHandSide(Mat A, Vec x, Vec b)
{
  const char *kinds[] = {"product", "ones", "random"};
  PetscInt    kind    = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetEList(NULL, NULL, "-rhs", kinds, 3, &kind, NULL));
  PetscCall(VecSet(x, 1));
  if (kind == 0) PetscCall(MatMult(A, x, b));
  else if (kind == 1) PetscCall(VecSet(b, 1));
  else PetscCall(VecSetRandom(b, NULL));
  PetscCall(VecSet(x, 0));
  PetscFunctionReturn(0);
}

/* |b - A x| / |b|, added up row by row, so that no matrix type is judged by its own product */
static PetscErrorCode TrueResidual(Mat A, Vec x, Vec b, PetscReal *residual)
{
  Mat                rows;
  Vec                whole_x, r;
  VecScatter         scatter;
  PetscInt           first, last, n;
  const PetscInt    *cols;
  const PetscScalar *vals, *xs;
  PetscScalar       *rs;
  PetscReal          norm;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &rows));
  PetscCall(VecScatterCreateToAll(x, &scatter, &whole_x));
  PetscCall(VecScatterBegin(scatter, x, whole_x, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(scatter, x, whole_x, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(VecCopy(b, r));
  PetscCall(VecGetArrayRead(whole_x, &xs));
  PetscCall(VecGetArray(r, &rs));
  PetscCall(MatGetOwnershipRange(rows, &first, &last));
  for (PetscInt row = first; row < last; row++) {
    PetscCall(MatGetRow(rows, row, &n, &cols, &vals));
    for (PetscInt k = 0; k < n; k++) rs[row - first] -= vals[k] * xs[cols[k]];
    PetscCall(MatRestoreRow(rows, row, &n, &cols, &vals));
  }
  PetscCall(VecRestoreArray(r, &rs));
  PetscCall(VecRestoreArrayRead(whole_x, &xs));
  PetscCall(VecNorm(r, NORM_2, residual));
  PetscCall(VecNorm(b, NORM_2, &norm));
  *residual /= norm > 0 ? norm : 1;
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&whole_x));
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(MatDestroy(&rows));
  PetscFunctionReturn(0);
}

static PetscErrorCode Report(const char source[], Mat A, KSP ksp, PetscReal residual, const PetscLogDouble times[])
{
  PC                 pc;
  MatType            mat_type;
  KSPType            ksp_type;
  PCType             pc_type;
  MatInfo            info;
  KSPConvergedReason reason;
  PetscInt           rows, cols, iterations;
  PetscMPIInt        size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MatGetType(A, &mat_type));
  PetscCall(MatGetSize(A, &rows, &cols));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(KSPGetType(ksp, &ksp_type));
  PetscCall(PCGetType(pc, &pc_type));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "matrix      %s: %" PetscInt_FMT " x %" PetscInt_FMT ", %.0f nonzeros\n", source, rows, cols,
                        info.nz_used));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "type        %s on %d process%s\n", mat_type, size, size == 1 ? "" : "es"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "solver      %s with %s\n", ksp_type, pc_type));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "iterations  %" PetscInt_FMT ", %s\n", iterations, KSPConvergedReasons[reason]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "residual    %.1e = |b - A x| / |b|\n", (double)residual));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "time        %.4f s to set up, %.4f s to solve\n", times[1] - times[0], times[2] - times[1]));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  char           file[PETSC_MAX_PATH_LEN], *source = file;
  PetscInt       n = 0;
  PetscBool      given;
  Mat            A;
  Vec            x, b, y;
  KSP            ksp;
  PetscReal      residual;
  PetscLogDouble times[3];

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-f", file, sizeof(file), &given));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-grid", &n, NULL));
  PetscCheck(given || n > 0, PETSC_COMM_WORLD, PETSC_ERR_USER,
             "Which matrix? Say -f <file>, Matrix Market or PETSc binary, or -grid <n> with n > 0");

  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetFromOptions(A));
  if (given) PetscCall(LoadMatrix(A, file));
  else PetscCall(FillGrid(A, n));
  if (given && strrchr(file, '/')) source = strrchr(file, '/') + 1;
  if (!given) PetscCall(PetscSNPrintf(file, sizeof(file), "grid %" PetscInt_FMT "^3", n));

  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(b, &y));
  PetscCall(FillRightHandSide(A, x, b));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscTime(&times[0]));
  PetscCall(KSPSetUp(ksp));
  PetscCall(MatMult(A, x, y)); /* what a type prepares at its first product is set-up, too */
  PetscCall(PetscTime(&times[1]));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(PetscTime(&times[2]));
  PetscCall(TrueResidual(A, x, b, &residual));
  PetscCall(Report(source, A, ksp, residual, times));

  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
