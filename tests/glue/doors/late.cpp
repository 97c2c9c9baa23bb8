/// \file late.cpp
/// A program that ends as interpreters and libraries with objects of their own do: the last product, the end of the
/// matrix and PetscFinalize() come when main() is over, from the destructor of a static object (late) or from a
/// function of atexit() (late atexit).

#include <cstdlib>
#include <string_view>

#include "bidiagonal.hpp"

namespace {

struct World : Bidiagonal {
  void begin(int *argc, char ***argv)
  {
    PetscCallAbort(PETSC_COMM_SELF, PetscInitialize(argc, argv, NULL, NULL));
    PetscCallAbort(PETSC_COMM_SELF, make(PETSC_COMM_WORLD, 1000));
    PetscCallAbort(PETSC_COMM_SELF, MatMult(A, x, y));
  }

  void end()
  {
    PetscCallAbort(PETSC_COMM_SELF, finish());
    PetscCallAbort(PETSC_COMM_SELF, PetscFinalize());
  }

private:
  PetscErrorCode finish()
  {
    PetscReal norm;

    PetscFunctionBeginUser;
    PetscCall(MatScale(A, 2)); // the next product refreshes
    PetscCall(MatMult(A, x, y));
    PetscCall(VecNorm(y, NORM_1, &norm)); // 999 rows with 4 - 2, one with 4
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "late norm %g\n", (double)norm));
    PetscCall(destroy());
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
