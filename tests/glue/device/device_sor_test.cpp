// MatSOR on a device, where nothing is copied. That it is right there is asked in sor_test.cpp, too.

#include "glue/support/device.hpp"
#include "glue/support/samples.hpp"

namespace petscspmv::test {
namespace {

class DeviceSorTest : public DeviceTest { };
INSTANTIATE_TEST_SUITE_P(Types, DeviceSorTest, EachType(), TypeName);

PetscInt Solve(Mat A, PCType preconditioner, PetscInt iterations, PetscLogDouble *copies)
{
  const Owned<KSP>     ksp    = MakeSolver(A, preconditioner, KSPCG);
  const PetscLogDouble before = Copies();
  Owned<Vec>           x, b;
  PetscInt             done;
  Ok(MatCreateVecs(A, x.out(), b.out()));
  Ok(VecSet(b, 1));
  Ok(KSPSetTolerances(ksp, iterations > 0 ? 1e-50 : 1e-8, 1e-300, PETSC_DEFAULT, iterations > 0 ? iterations : 1000));
  Ok(KSPSolve(ksp, b, x));
  Ok(KSPGetIterationNumber(ksp, &done));
  if (copies) *copies = Copies() - before;
  return done;
}

TEST_P(DeviceSorTest, SolversCopyNothingFromIterationToIteration)
{
  if (Ranks() > 1) GTEST_SKIP() << "ghost values go through the host where MPI knows nothing of devices";
  const OptionGuard exact("-mat_spmv_sweeps", "exact"); // so few rows are swept faster on the host
  for (const char *parent : {MATAIJCUSPARSE, MATAIJKOKKOS}) {
    if (!PetscDefined(HAVE_KOKKOS_KERNELS) && parent == std::string(MATAIJKOKKOS)) continue;
    const OptionGuard method("-mat_spmv", root());
    const Owned<Mat>  A = Stencil(parent, 40);
    PetscLogDouble    few, many;
    Solve(A, PCSOR, 2, &few); // makes the sweeps
    EXPECT_EQ(4, Solve(A, PCSOR, 4, &few));
    EXPECT_EQ(20, Solve(A, PCSOR, 20, &many));
    EXPECT_EQ(few, many) << parent;
  }
}

// Whatever the default makes of them.
TEST_P(DeviceSorTest, SolversNeedAsManyIterationsAsOnTheHost)
{
  const Owned<Mat> reference = Stencil(MATAIJ, 40), A = Stencil(root(), 40);
  EXPECT_EQ(Solve(reference, PCSOR, 0, NULL), Solve(A, PCSOR, 0, NULL));
  const OptionGuard exact("-mat_spmv_sweeps", "exact");
  const Owned<Mat>  B = Stencil(root(), 40);
  EXPECT_EQ(Solve(reference, PCSOR, 0, NULL), Solve(B, PCSOR, 0, NULL));
}

// Without entries beside the diagonal there is one level; a chain of rows has as many as rows, and is left to the host.
TEST_P(DeviceSorTest, AreOnTheDeviceWhereTheyAreFasterThere)
{
  if (Ranks() > 1) GTEST_SKIP() << "blocks of a parallel matrix decide alone";
  for (const bool chain : {false, true}) {
    const Owned<Mat> A = MakeByRows(root(), 20000, 2, [chain](Mat mat, PetscInt row) {
      Ok(MatSetValue(mat, row, row, 2, INSERT_VALUES));
      if (chain && row > 0) Ok(MatSetValue(mat, row, row - 1, -1, INSERT_VALUES));
    });
    Owned<Vec>       x, b;
    Ok(MatCreateVecs(A, x.out(), b.out()));
    Ok(VecSet(b, 1));
    Ok(MatSOR(A, b, 1, (MatSORType)(SOR_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS), 0, 1, 1, x));
    const std::string text = Viewed(A, PETSC_VIEWER_ASCII_INFO);
    EXPECT_EQ(chain, text.find("sweeps are PETSc's own, on the host: With ") != text.npos) << text;
  }
}

TEST_P(DeviceSorTest, HostVectorsAreSweptToo)
{
  const Owned<Mat> A = MakeSample(kSquare, root()), reference = MakeSample(kSquare, MATAIJ);
  Owned<Vec>       x, b, expected;
  Ok(MatCreateVecs(reference, x.out(), b.out()));
  Ok(VecDuplicate(x, expected.out()));
  SetSmallIntegers(b, 3);
  const auto flag = (MatSORType)(SOR_LOCAL_FORWARD_SWEEP | SOR_ZERO_INITIAL_GUESS);
  Ok(MatSOR(A, b, 1.5, flag, 9, 1, 1, x));
  Ok(MatSOR(reference, b, 1.5, flag, 9, 1, 1, expected));
  ExpectSameVectors(x, expected, "by PETSc's own");
}

} // namespace
} // namespace petscspmv::test
