/* database <step>...: what programs do with the options database while they multiply by a matrix each step:

     multiply            creates an AIJ matrix that asks for options, and multiplies by it
     clear, insert       PetscOptionsClear(), and the options of the command line again
     push, pop           a database of the same options, instead of the program's for a while
     own                 multiplies by a matrix that has a database of its own, with -mat_spmv ccoo -mat_ccoo_tile chunk
     other               multiplies by a matrix of the last process alone, with the prefix other_
     level               multiplies by a matrix with the prefix level_1_
     again               PetscFinalize() and PetscInitialize() */
#include <petscmat.h>
#include <string.h>

static PetscErrorCode Multiply(MPI_Comm comm, const char prefix[], PetscOptions own)
{
  Mat      A;
  Vec      x, y;
  PetscInt first, last;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(comm, &A));
  PetscCall(PetscObjectSetOptions((PetscObject)A, own));
  PetscCall(MatSetOptionsPrefix(A, prefix));
  PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, 10, 10));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatSetUp(A));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt row = first; row < last; row++) PetscCall(MatSetValue(A, row, row, 2, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(0);
}

static PetscErrorCode MultiplyWithOwn(const char options[])
{
  PetscOptions own;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsCreate(&own));
  PetscCall(PetscOptionsInsertString(own, options));
  PetscCall(Multiply(PETSC_COMM_WORLD, NULL, own));
  PetscCall(PetscOptionsDestroy(&own));
  PetscFunctionReturn(0);
}

static PetscErrorCode Step(const char step[], char **all, PetscOptions *pushed)
{
  PetscMPIInt rank, size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (!strcmp(step, "multiply")) PetscCall(Multiply(PETSC_COMM_WORLD, NULL, NULL));
  if (!strcmp(step, "own")) PetscCall(MultiplyWithOwn("-mat_spmv ccoo -mat_ccoo_tile chunk"));
  if (!strcmp(step, "level")) PetscCall(Multiply(PETSC_COMM_WORLD, "level_1_", NULL));
  if (!strcmp(step, "other") && rank == size - 1) PetscCall(Multiply(PETSC_COMM_SELF, "other_", NULL));
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
    if (strcmp(argv[k], "again")) {
      PetscCall(Step(argv[k], &all, &pushed));
      continue;
    }
    PetscCall(PetscFinalize());
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "all steps done\n"));
  PetscCall(PetscFinalize());
  MPI_Finalize();
  return 0;
}
