#include <gtest/gtest.h>
#include <petscsys.h>

/// Every rank runs every test; a failure on any of them fails the program.
int main(int argc, char **argv)
{
  ::testing::InitGoogleTest(&argc, argv);
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 1;
  int failed = RUN_ALL_TESTS(), any = 0;
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
  return PetscFinalize() || any ? 1 : 0;
}
