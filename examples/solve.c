static char help[] = "Solves A x = b with a matrix from a file, or with a generated one, on any number of processes.\n\
  -f <file>                     Matrix Market, also gzipped, or PETSc binary\n\
  -grid <n>                     instead of a file: convection and diffusion on n x n x n points\n\
  -mesh <n>                     or n x n x n nodes joined by springs, with three displacements each\n\
  -circuit <n>                  or a network of resistors with n nodes\n\
  -rhs <product, ones, random>  b = A (1 ... 1)^T (the default), b = (1 ... 1)^T, or random numbers\n\
  -solves <n>                   solve n times instead of once, each time from x = 0\n\
  -products <n>                 after that time n batches of ten products, too\n\
  -view_after <viewer>          show the matrix after the solution, for example ::ascii_info\n\
Matrix type, solver and preconditioner are chosen by PETSc's options: -mat_type, -ksp_type, -pc_type, -ksp_rtol, ...\n\n";

/*
   An ordinary PETSc program: it knows nothing of petscspmv, is not linked with it, and uses it if the options say so.

   To build:  make solve        (in this folder; also built by `make` at the top of the checkout)
   To run:    ./solve -f data/sherman3.mtx.gz -ksp_type bcgs -ksp_pc_side right -ksp_rtol 1e-8
              the same with -options_file ../build/release/petsc_plugin.conf -mat_type aijspec
              mpiexec -n 2 ./solve -grid 40 ...
              and with -view_after ::ascii_info for what a type has made of the matrix

   With the second line it prints something like

     matrix      sherman3.mtx.gz: 5005 x 5005, 20033 nonzeros
     type        seqaijspec on 1 process
     solver      bcgs with ilu
     iterations  81, CONVERGED_RTOL
     residual    7.8e-09 = |b - A x| / |b|
     time        0.000651 s to set up, 0.013240 s to solve
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

/* A number from 0 to 1 that depends on i and j alone, so that a system is the same on any number of processes */
static PetscReal Noise(PetscInt i, PetscInt j)
{
  unsigned h = (unsigned)i * 0x9e3779b1U + (unsigned)j * 0x85ebca77U;

  h = (h ^ h >> 15) * 0x2c1b3c6dU;
  h = (h ^ h >> 12) * 0x297a2d39U;
  return (h ^ h >> 15) / 4294967296.0;
}

static PetscErrorCode SetNode(Mat A, PetscInt row, PetscInt node, const PetscScalar values[])
{
  const PetscInt cols[3] = {3 * node, 3 * node + 1, 3 * node + 2};

  PetscFunctionBeginUser;
  PetscCall(MatSetValues(A, 1, &row, 3, cols, values, INSERT_VALUES));
  PetscFunctionReturn(0);
}

/* A solid of springs: each node, somewhat off its place in the grid, is joined to seven in ten of its 26 neighbours.
   Outside the grid are walls, which do not move. A spring of direction d pulls with the 3 x 3 block d d^T. */
static PetscErrorCode FillMesh(Mat A, PetscInt n)
{
  PetscInt first, last;

  PetscFunctionBeginUser;
  PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, 3 * n * n * n, 3 * n * n * n));
  PetscCall(MatSeqAIJSetPreallocation(A, 81, NULL));
  PetscCall(MatMPIAIJSetPreallocation(A, 81, NULL, 54, NULL));
  PetscCall(MatSetUp(A));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt row = first; row < last; row++) {
    const PetscInt node = row / 3, i[3] = {node / (n * n), node / n % n, node % n};
    PetscScalar    own[3] = {0, 0, 0};

    for (int k = 0; k < 27; k++) {
      const PetscInt  step[3]   = {k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1};
      const PetscInt  other     = node + (step[0] * n + step[1]) * n + step[2];
      const PetscReal stiffness = Noise(PetscMin(node, other), PetscMax(node, other));
      PetscReal       d[3];
      PetscScalar     pull[3];
      PetscBool       inside = PETSC_TRUE;

      if (other == node || stiffness < 0.3) continue;
      for (int c = 0; c < 3; c++) {
        d[c] = step[c] + 0.4 * (Noise(other, c) - Noise(node, c));
        if (i[c] + step[c] < 0 || i[c] + step[c] >= n) inside = PETSC_FALSE;
      }
      for (int c = 0; c < 3; c++) {
        pull[c] = -stiffness * d[row % 3] * d[c];
        own[c] -= pull[c];
      }
      if (inside) PetscCall(SetNode(A, row, other, pull));
    }
    PetscCall(SetNode(A, row, node, own));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

/* Resistors from each node to the next one, to two nearby, for one in ten to a node anywhere, and for one in four to
   one of 16 supply nets, whose rows are long. A resistor adds its conductance at four places; what leaks to the ground
   is added to the diagonal. */
static PetscErrorCode FillCircuit(Mat A, PetscInt n)
{
  enum { resistors = 5, stamps = 4 * resistors + 1 };
  PetscInt     local = PETSC_DECIDE, last, *rows, *cols;
  PetscScalar *values;
  PetscCount   count = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscSplitOwnership(PetscObjectComm((PetscObject)A), &local, &n));
  PetscCallMPI(MPI_Scan(&local, &last, 1, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)A)));
  PetscCall(MatSetSizes(A, local, local, n, n));
  PetscCall(PetscMalloc3(stamps * local, &rows, stamps * local, &cols, stamps * local, &values));
  for (PetscInt node = last - local; node < last; node++) {
    const PetscReal chance          = Noise(node, 0);
    const PetscInt  ends[resistors] = {node + 1, node + (PetscInt)(50 * Noise(node, 1)), node + (PetscInt)(50 * Noise(node, 2)),
                                      chance < 0.1 ? (PetscInt)(n * Noise(node, 3)) : node,
                                      chance > 0.75 ? (PetscInt)(16 * Noise(node, 4)) * (n / 16) : node};

    for (int k = 0; k < resistors; k++) {
      const PetscInt    pair[2]     = {node, ends[k] % n};
      const PetscScalar conductance = 0.1 + Noise(node, 5 + k);

      for (int s = 0; s < 4 && pair[0] != pair[1]; s++) {
        rows[count]     = pair[s / 2];
        cols[count]     = pair[s % 2];
        values[count++] = s / 2 == s % 2 ? conductance : -conductance;
      }
    }
    rows[count] = cols[count] = node;
    values[count++]           = 0.01;
  }
  PetscCall(MatSetPreallocationCOO(A, count, rows, cols));
  PetscCall(MatSetValuesCOO(A, values, ADD_VALUES));
  PetscCall(PetscFree3(rows, cols, values));
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
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "matrix      %s: %" PetscInt_FMT " x %" PetscInt_FMT ", %.0f nonzero%s\n", source, rows, cols,
                        info.nz_used, info.nz_used == 1 ? "" : "s"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "type        %s on %d process%s\n", mat_type, size, size == 1 ? "" : "es"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "solver      %s with %s\n", ksp_type, pc_type));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "iterations  %" PetscInt_FMT ", %s\n", iterations, KSPConvergedReasons[reason]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "residual    %.1e = |b - A x| / |b|\n", (double)residual));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "time        %.6f s to set up, %.6f s to solve\n", times[1] - times[0], times[2] - times[1]));
  PetscFunctionReturn(0);
}

/* The matrix that the options ask for, if they do; source is what to call it */
static PetscErrorCode FillMatrix(Mat A, char source[], size_t length, PetscBool *given)
{
  const struct {
    const char *option, *name;
    PetscErrorCode (*fill)(Mat, PetscInt);
  } systems[] = {{"-grid", "grid %" PetscInt_FMT "^3", FillGrid},
                 {"-mesh", "mesh %" PetscInt_FMT "^3", FillMesh},
                 {"-circuit", "circuit %" PetscInt_FMT, FillCircuit}};
  char     file[PETSC_MAX_PATH_LEN];
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-f", file, sizeof(file), given));
  if (*given) {
    const char *slash = strrchr(file, '/');

    PetscCall(PetscStrncpy(source, slash ? slash + 1 : file, length));
    PetscCall(LoadMatrix(A, file));
    PetscFunctionReturn(0);
  }
  for (int k = 0; k < 3; k++) {
    PetscCall(PetscOptionsGetInt(NULL, NULL, systems[k].option, &n, given));
    if (!*given) continue;
    PetscCheck(n > 0, PETSC_COMM_WORLD, PETSC_ERR_USER, "%s %" PetscInt_FMT " is no size; say %s <n> with n > 0", systems[k].option, n,
               systems[k].option);
    PetscCall(PetscSNPrintf(source, length, systems[k].name, n));
    PetscCall(systems[k].fill(A, n));
    break;
  }
  PetscFunctionReturn(0);
}

/* The median of batches, each of which ends with a norm: all processes, and a device, have to be ready for that. */
static PetscErrorCode TimeProducts(Mat A, Vec x, Vec y, PetscInt batches)
{
  enum { products = 10 };
  PetscReal     *seconds, norm;
  PetscLogDouble begin, end;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(batches, &seconds));
  PetscCall(VecNorm(x, NORM_2, &norm));
  for (PetscInt k = 0; k < batches; k++) {
    PetscCall(PetscTime(&begin));
    for (int i = 0; i < products; i++) PetscCall(MatMult(A, x, y));
    PetscCall(VecNorm(y, NORM_2, &norm));
    PetscCall(PetscTime(&end));
    seconds[k] = (end - begin) / products;
  }
  PetscCall(PetscSortReal(batches, seconds));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "product     %.3e s\n", (double)seconds[batches / 2]));
  PetscCall(PetscFree(seconds));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  char           source[PETSC_MAX_PATH_LEN];
  PetscInt       solves = 1, batches = 0;
  Mat            A;
  Vec            x, b, y;
  KSP            ksp;
  PetscReal      residual;
  PetscLogDouble times[3];
  PetscBool      given;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-solves", &solves, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-products", &batches, NULL));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetFromOptions(A));
  PetscCall(FillMatrix(A, source, sizeof(source), &given));
  if (!given) {
    PetscCall(
      PetscFPrintf(PETSC_COMM_WORLD, stderr,
                   "Which matrix? Say -f <file>, Matrix Market or PETSc binary, or -grid, -mesh or -circuit <n>; -help tells more.\n"));
    PetscCall(MatDestroy(&A));
    PetscCall(PetscFinalize());
    return 1;
  }

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
  for (PetscInt k = 0; k < solves; k++) PetscCall(KSPSolve(ksp, b, x));
  PetscCall(PetscTime(&times[2]));
  PetscCall(MatViewFromOptions(A, NULL, "-view_after"));
  PetscCall(TrueResidual(A, x, b, &residual));
  PetscCall(Report(source, A, ksp, residual, times));
  if (batches > 0) PetscCall(TimeProducts(A, x, y, batches));

  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}
