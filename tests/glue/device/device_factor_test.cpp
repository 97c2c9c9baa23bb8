// Incomplete factors on a device, where solves copy nothing. That they are right there is asked in factor_test.cpp,
// too.

#include "glue/support/device.hpp"

namespace petscspmv::test {
namespace {

class DeviceFactorTest : public DeviceTest {
protected:
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
  for (PCType preconditioner : {PCILU, PCICC, PCBJACOBI}) ExpectNothingCopied(preconditioner, root());
}

TEST_P(DeviceFactorTest, SolversNeedAsManyIterationsAsOnTheHost)
{
  for (PCType preconditioner : {PCILU, PCICC, PCBJACOBI, PCASM}) {
    if (Ranks() > 1 && (preconditioner == std::string(PCILU) || preconditioner == std::string(PCICC))) continue;
    ExpectIterationsOfTheHost(preconditioner, KSPBCGS, root());
  }
}

TEST_P(DeviceFactorTest, AreOnTheDeviceWhereTheyAreFasterThere)
{
  for (const bool chain : {false, true}) {
    const Owned<Mat>  A = RowsInAChain(root(), chain), F = factored(A);
    const std::string text = Viewed(F, PETSC_VIEWER_ASCII_INFO);
    EXPECT_EQ(chain, text.find("factors are PETSc's own, on the host: With ") != text.npos) << text;
    EXPECT_EQ(!chain, text.find("factors are ours") != text.npos) << text;
  }
}

// PETSc's own on the device, as if we were not there; and the name of a package that a program has asked for stays.
TEST_P(DeviceFactorTest, LeaveToPetscWhatTheyNeverDo)
{
  const Owned<Mat> A = RowsInAChain(root(), false), F = factored(A, true), G = factored(A, false, MATSOLVERCUSPARSE);
  MatSolverType    package;
  EXPECT_EQ(TypeOf(A), TypeOf(F));
  EXPECT_EQ(std::string::npos, Viewed(F, PETSC_VIEWER_ASCII_INFO).find("petscspmv: factors"));
  Ok(MatFactorGetSolverType(G, &package));
  EXPECT_STREQ(MATSOLVERCUSPARSE, package);
  EXPECT_NE(std::string::npos, Viewed(G, PETSC_VIEWER_ASCII_INFO).find("factors are ours"));
}

TEST_P(DeviceFactorTest, SolveWithHostVectorsToo)
{
  const Owned<Mat>   A = RowsInAChain(root(), false), F = factored(A);
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
