/* program <step>...: what programs do with matrices and the options database, one step after the other:

     multiply            creates an AIJ matrix that asks for options, and multiplies by it
     clear, insert       PetscOptionsClear(), and the options of the command line again
     push, pop           a database of the same options, instead of the program's for a while
     own                 multiplies by a matrix that has a database of its own, with -mat_spmv ccoo -mat_ccoo_tile chunk
     other               multiplies by a matrix of the last process alone, with the prefix other_
     level               multiplies by a matrix with the prefix level_1_
     again               PetscFinalize() and PetscInitialize()
     dm, aij             multiplies by a matrix of a DMDA or of MatCreateAIJ(), of whatever types the options make them, and names these
     append <library>    loads it after PetscInitialize()
     convert             converts a matrix to aijspec, and prints its type */
#include <petscdmda.h>
#include <string.h>

/* Of ones on the diagonal; ends A. With a name it says what A is, and what the product. */
static PetscErrorCode Multiply(Mat A, const char name[])
{
  Mat       diagonal;
  Vec       x, y;
  PetscReal norm;
  PetscInt  first, last;
  MatType   type, local;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt row = first; row < last; row++) PetscCall(MatSetValue(A, row, row, 1, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(A, x, y));
  if (name) {
    PetscCall(VecNorm(y, NORM_1, &norm));
    PetscCall(MatGetDiagonalBlock(A, &diagonal));
    PetscCall(MatGetType(diagonal, &local));
    PetscCall(MatGetType(A, &type));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s type %s local %s norm %g\n", name, type, local, (double)norm));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(0);
}

static PetscErrorCode MultiplyAsAsked(MPI_Comm comm, const char prefix[], PetscOptions own)
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(comm, &A));
  PetscCall(PetscObjectSetOptions((PetscObject)A, own));
  PetscCall(MatSetOptionsPrefix(A, prefix));
  PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, 10, 10));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatSetUp(A));
  PetscCall(Multiply(A, NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode MultiplyWithOwn(const char options[])
{
  PetscOptions own;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsCreate(&own));
  PetscCall(PetscOptionsInsertString(own, options));
  PetscCall(MultiplyAsAsked(PETSC_COMM_WORLD, NULL, own));
  PetscCall(PetscOptionsDestroy(&own));
  PetscFunctionReturn(0);
}

static PetscErrorCode MultiplyOfDM(void)
{
  DM  da;
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 4, 4, PETSC_DECIDE, PETSC_DECIDE, 1, 1,
                         NULL, NULL, &da));
  PetscCall(DMSetFromOptions(da));
  PetscCall(DMSetUp(da));
  PetscCall(DMCreateMatrix(da, &A));
  PetscCall(DMDestroy(&da));
  PetscCall(Multiply(A, "dm"));
  PetscFunctionReturn(0);
}

static PetscErrorCode Convert(void)
{
  Mat     A;
  MatType type;

  PetscFunctionBeginUser;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 9, 9, 1, NULL, 0, NULL, &A));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatConvert(A, "aijspec", MAT_INPLACE_MATRIX, &A));
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "type %s\n", type));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(0);
}

static PetscErrorCode Step(const char step[], char **all, PetscOptions *pushed)
{
  PetscMPIInt rank, size;
  Mat         A;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (!strcmp(step, "multiply")) PetscCall(MultiplyAsAsked(PETSC_COMM_WORLD, NULL, NULL));
  if (!strcmp(step, "own")) PetscCall(MultiplyWithOwn("-mat_spmv ccoo -mat_ccoo_tile chunk"));
  if (!strcmp(step, "level")) PetscCall(MultiplyAsAsked(PETSC_COMM_WORLD, "level_1_", NULL));
  if (!strcmp(step, "other") && rank == size - 1) PetscCall(MultiplyAsAsked(PETSC_COMM_SELF, "other_", NULL));
  if (!strcmp(step, "dm")) PetscCall(MultiplyOfDM());
  if (!strcmp(step, "aij")) {
    PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 9, 9, 1, NULL, 0, NULL, &A));
    PetscCall(Multiply(A, "aij"));
  }
  if (!strcmp(step, "convert")) PetscCall(Convert());
  if (!strcmp(step, "clear")) {
    PetscCall(PetscOptionsGetAll(NULL, all));
    PetscCall(PetscOptionsClear(NULL));
  }
  if (!strcmp(step, "insert")) {
    PetscCall(PetscOptionsInsertString(NULL, *all));
    PetscCall(PetscFree(*all));
  }
  if (!strcmp(step, "push")) {
    PetscCall(PetscOptionsGetAll(NULL, all));
    PetscCall(PetscOptionsCreate(pushed));
    PetscCall(PetscOptionsInsertString(*pushed, *all));
    PetscCall(PetscFree(*all));
    PetscCall(PetscOptionsPush(*pushed));
  }
  if (!strcmp(step, "pop")) {
    PetscCall(PetscOptionsPop());
    PetscCall(PetscOptionsDestroy(pushed));
  }
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  char        *all = NULL;
  PetscOptions pushed;

  MPI_Init(&argc, &argv); /* or the second PetscInitialize() would have no MPI */
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  for (int k = 1; k < argc && argv[k][0] != '-'; k++) {
    if (!strcmp(argv[k], "append")) {
      PetscCall(PetscDLLibraryAppend(PETSC_COMM_WORLD, &PetscDLLibrariesLoaded, argv[++k]));
    } else if (!strcmp(argv[k], "again")) {
      PetscCall(PetscFinalize());
      PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    } else PetscCall(Step(argv[k], &all, &pushed));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "all steps done\n"));
  PetscCall(PetscFinalize());
  MPI_Finalize();
  return 0;
}
