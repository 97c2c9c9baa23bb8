#pragma once

/// \file device.hpp
/// Tests of products on a device.

#include "core/runtime.hpp"
#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"

namespace petscspmv::test {

class DeviceTest : public TypeTest {
protected:
  void SetUp() override
  {
    TypeTest::SetUp();
    if (!runtime::has_device()) GTEST_SKIP() << runtime::device_problem();
    if (!RunsOnDevice(root())) GTEST_SKIP() << root() << " has no kernels for a device";
  }

  static std::string vec_type(Mat A)
  {
    VecType type;
    Ok(MatGetVecType(A, &type));
    return type;
  }
};

/// Copies of whole vectors and matrices between host and device since the start, by PETSc's count.
inline PetscLogDouble Copies()
{
  return petsc_ctog_ct + petsc_gtoc_ct;
}

/// Solves A x = 1, and returns the iterations: so many, or if that is 0, as many as it takes. The copies that it makes
/// when all is set up go to *copies.
inline PetscInt SolveThere(Mat A, PCType preconditioner, KSPType method, PetscInt iterations = 0, PetscLogDouble *copies = nullptr)
{
  const Owned<KSP> ksp = MakeSolver(A, preconditioner, method);
  Owned<Vec>       x, b;
  PetscInt         done;
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

/// A solver's vectors stay on the device: it copies as much in four iterations as in twenty.
inline void ExpectNothingCopied(PCType preconditioner, const std::string &root)
{
  const OptionGuard exact("-mat_spmv_sweeps", "exact"); // with so few rows the host is faster
  for (const char *parent : {MATAIJCUSPARSE, MATAIJKOKKOS}) {
    if (!PetscDefined(HAVE_KOKKOS_KERNELS) && parent == std::string(MATAIJKOKKOS)) continue;
    const OptionGuard method("-mat_spmv", root);
    const Owned<Mat>  A = Stencil(parent, 40);
    PetscLogDouble    few, many;
    SolveThere(A, preconditioner, KSPCG, 2, &few); // makes the sweeps or factors
    EXPECT_EQ(4, SolveThere(A, preconditioner, KSPCG, 4, &few));
    EXPECT_EQ(20, SolveThere(A, preconditioner, KSPCG, 20, &many));
    EXPECT_EQ(few, many) << parent << " " << preconditioner;
  }
}

/// Whatever the default makes of sweeps and factors.
inline void ExpectIterationsOfTheHost(PCType preconditioner, KSPType method, const std::string &root)
{
  const auto     iterations = [=](Mat A) { return SolveThere(A, preconditioner, method); };
  const PetscInt right      = iterations(Stencil(MATAIJ, 40));
  EXPECT_EQ(right, iterations(Stencil(root, 40))) << preconditioner;
  const OptionGuard exact("-mat_spmv_sweeps", "exact");
  EXPECT_EQ(right, iterations(Stencil(root, 40))) << preconditioner;
}

/// A chain of rows has as many levels as rows; without the entries beside the diagonal there is one.
inline Owned<Mat> RowsInAChain(const std::string &type, bool chain)
{
  const auto set_row = [chain](Mat mat, PetscInt row) {
    Ok(MatSetValue(mat, row, row, 2, INSERT_VALUES));
    if (chain && row > 0) Ok(MatSetValue(mat, row, row - 1, -1, INSERT_VALUES));
  };
  return MakeByRows(type, 20000, 2, set_row, PETSC_COMM_SELF);
}

/// Asks for transposed products until they are ours: the first ones are the parent's.
inline void GoOnWithIndex(Mat A)
{
  const ProductKind &transpose = ProductKinds()[2];
  const Owned<Vec>   x = InputOf(A, transpose), y = OutputOf(A, transpose);
  Ok(VecSet(x, 1));
  for (int repeat = 0; repeat < 20; ++repeat) Ok(transpose.apply(A, x, y));
}

} // namespace petscspmv::test
