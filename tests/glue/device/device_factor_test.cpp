// Incomplete factors on a device, where solves copy nothing. That they are right there is asked in factor_test.cpp, too.

#include "glue/support/device.hpp"
#include "glue/support/samples.hpp"

namespace petscspmv::test {
namespace {

class DeviceFactorTest : public DeviceTest {
protected:
  static PetscInt solve(KSP ksp, PetscInt iterations, PetscLogDouble *copies)
  {
    Owned<Vec> x, b;
    Mat        A;
    PetscInt   done;
    Ok(KSPGetOperators(ksp, &A, NULL));
    Ok(MatCreateVecs(A, x.out(), b.out()));
    Ok(VecSet(b, 1));
    Ok(KSPSetTolerances(ksp, iterations > 0 ? 1e-50 : 1e-8, 1e-300, PETSC_DEFAULT, iterations > 0 ? iterations : 1000));
    Ok(KSPSetUp(ksp));
    Ok(KSPSetUpOnBlocks(ksp));
    const PetscLogDouble before = Copies();
    Ok(KSPSolve(ksp, b, x));
    Ok(KSPGetIterationNumber(ksp, &done));
    if (copies) *copies = Copies() - before;
    return done;
  }

  /// A chain of rows has as many levels as rows; without the entries beside the diagonal there is one.
  static Owned<Mat> rows(bool chain)
  {
    return MakeByRows(
      root(), 20000, 2,
      [chain](Mat mat, PetscInt row) {
        Ok(MatSetValue(mat, row, row, 2, INSERT_VALUES));
        if (chain && row > 0) Ok(MatSetValue(mat, row, row - 1, -1, INSERT_VALUES));
      },
      PETSC_COMM_SELF);
  }

  static Owned<Mat> factored(Mat A, bool diagonal_fill = false, const char *package = NULL)
  {
    Owned<Mat>    F;
    Owned<IS>     row, col;
    MatFactorInfo info;
    Ok(MatFactorInfoInitialize(&info));
    info.diagonal_fill = diagonal_fill;
    info.fill          = 1;
    Ok(MatGetFactor(A, package, MAT_FACTOR_ILU, F.out()));
    Ok(MatGetOrdering(A, MATORDERINGNATURAL, row.out(), col.out()));
    Ok(MatILUFactorSymbolic(F, A, row, col, &info));
    Ok(MatLUFactorNumeric(F, A, &info));
    return F;
  }
};
INSTANTIATE_TEST_SUITE_P(Types, DeviceFactorTest, EachType(), TypeName);

TEST_P(DeviceFactorTest, SolversCopyNothingFromIterationToIteration)
{
  if (Ranks() > 1) GTEST_SKIP() << "ghost values go through the host where MPI knows nothing of devices";
  const OptionGuard exact("-mat_spmv_sweeps", "exact"); // with so few rows the host is faster
  for (const char *parent : {MATAIJCUSPARSE, MATAIJKOKKOS})
    for (PCType preconditioner : {PCILU, PCICC, PCBJACOBI}) {
      if (!PetscDefined(HAVE_KOKKOS_KERNELS) && parent == std::string(MATAIJKOKKOS)) continue;
      const OptionGuard method("-mat_spmv", root());
      const Owned<Mat>  A   = Stencil(parent, 40);
      const Owned<KSP>  ksp = MakeSolver(A, preconditioner, KSPCG);
      PetscLogDouble    few, many;
      solve(ksp, 2, &few);
      EXPECT_EQ(4, solve(ksp, 4, &few));
      EXPECT_EQ(20, solve(ksp, 20, &many));
      EXPECT_EQ(few, many) << parent << " " << preconditioner;
    }
}

// Whatever the default makes of them.
TEST_P(DeviceFactorTest, SolversNeedAsManyIterationsAsOnTheHost)
{
  for (PCType preconditioner : {PCILU, PCICC, PCBJACOBI, PCASM}) {
    if (Ranks() > 1 && (preconditioner == std::string(PCILU) || preconditioner == std::string(PCICC))) continue;
    const auto     iterations = [preconditioner](Mat A) { return solve(MakeSolver(A, preconditioner, KSPBCGS), 0, NULL); };
    const PetscInt right      = iterations(Stencil(MATAIJ, 40));
    EXPECT_EQ(right, iterations(Stencil(root(), 40))) << preconditioner;
    const OptionGuard exact("-mat_spmv_sweeps", "exact");
    EXPECT_EQ(right, iterations(Stencil(root(), 40))) << preconditioner;
  }
}

TEST_P(DeviceFactorTest, AreOnTheDeviceWhereTheyAreFasterThere)
{
  for (const bool chain : {false, true}) {
    const Owned<Mat>  A = rows(chain), F = factored(A);
    const std::string text = Viewed(F, PETSC_VIEWER_ASCII_INFO);
    EXPECT_EQ(chain, text.find("factors are PETSc's own, on the host: With ") != text.npos) << text;
    EXPECT_EQ(!chain, text.find("factors are ours") != text.npos) << text;
  }
}

// PETSc's own on the device, as if we were not there; and the name of a package that a program has asked for stays.
TEST_P(DeviceFactorTest, LeaveToPetscWhatTheyNeverDo)
{
  const Owned<Mat> A = rows(false), F = factored(A, true), G = factored(A, false, MATSOLVERCUSPARSE);
  MatSolverType    package;
  EXPECT_EQ(TypeOf(A), TypeOf(F));
  EXPECT_EQ(std::string::npos, Viewed(F, PETSC_VIEWER_ASCII_INFO).find("petscspmv: factors"));
  Ok(MatFactorGetSolverType(G, &package));
  EXPECT_STREQ(MATSOLVERCUSPARSE, package);
  EXPECT_NE(std::string::npos, Viewed(G, PETSC_VIEWER_ASCII_INFO).find("factors are ours"));
}

TEST_P(DeviceFactorTest, SolveWithHostVectorsToo)
{
  const Owned<Mat>   A = rows(false), F = factored(A);
  Owned<Vec>         b, x;
  const PetscScalar *values;
  Ok(VecCreateSeq(PETSC_COMM_SELF, 20000, b.out()));
  Ok(VecDuplicate(b, x.out()));
  Ok(VecSet(b, 3));
  Ok(MatSolve(F, b, x));
  Ok(VecGetArrayRead(x, &values));
  for (PetscInt i = 0; i < 20000; ++i) ASSERT_EQ(PetscScalar(1.5), values[i]);
  Ok(VecRestoreArrayRead(x, &values));
}

} // namespace
} // namespace petscspmv::test
