/// \file late.cpp
/// A program that ends as interpreters and libraries with objects of their own do: the last product, the end of the
/// matrix and PetscFinalize() come when main() is over, from the destructor of a static object (late) or from a
/// function of atexit() (late atexit).

#include <petscmat.h>

#include <cstdlib>
#include <string_view>

namespace {

struct World {
  Mat A = NULL;
  Vec x = NULL, y = NULL;

  void begin(int *argc, char ***argv)
  {
    PetscCallAbort(PETSC_COMM_SELF, PetscInitialize(argc, argv, NULL, NULL));
    PetscCallAbort(PETSC_COMM_SELF, make());
    PetscCallAbort(PETSC_COMM_SELF, MatMult(A, x, y));
  }

  void end()
  {
    PetscCallAbort(PETSC_COMM_SELF, finish());
    PetscCallAbort(PETSC_COMM_SELF, PetscFinalize());
  }

private:
  PetscErrorCode make()
  {
    const PetscInt n = 1000;
    PetscInt       first, last;

    PetscFunctionBeginUser;
    PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
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

  PetscErrorCode finish()
  {
    PetscReal norm;

    PetscFunctionBeginUser;
    PetscCall(MatScale(A, 2)); // the next product refreshes
    PetscCall(MatMult(A, x, y));
    PetscCall(VecNorm(y, NORM_1, &norm)); // 999 rows with 4 - 2, one with 4
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "late norm %g\n", (double)norm));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
  }
};

/// Is there before the plugin is loaded, and so outlives all that is made later.
struct StaticWorld : World {
  bool begun = false;
  ~StaticWorld()
  {
    if (begun) end();
  }
};

World       at_exit;
StaticWorld last;

} // namespace

int main(int argc, char **argv)
{
  const bool by_atexit = argc > 1 && argv[1] == std::string_view("atexit");
  if (by_atexit) std::atexit([] { at_exit.end(); });
  (by_atexit ? at_exit : last).begin(&argc, &argv);
  last.begun = !by_atexit;
  return 0;
}
