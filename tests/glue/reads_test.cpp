/// Whatever only reads a matrix leaves its format alone: the next product builds and refreshes nothing. What PETSc's
/// object states say of such calls differs between its versions.

#include <tuple>

#include <petscksp.h>

#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"

using namespace petscspmv::test;

namespace {

struct Reading {
  const char *name;
  void (*apply)(Mat A);
};

Owned<Vec> Left(Mat A)
{
  Owned<Vec> y;
  Ok(MatCreateVecs(A, NULL, y.out()));
  return y;
}

void Solve(Mat A, PCType type)
{
  const Owned<KSP> ksp = MakeSolver(A, type);
  const Owned<Vec> b = Left(A), x = Left(A);
  SetSmallIntegers(b, 3);
  Ok(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 3));
  Ok(KSPSolve(ksp, b, x));
}

void ReadRows(Mat A)
{
  PetscInt           first, last, n;
  const PetscInt    *columns;
  const PetscScalar *values;
  Ok(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt row = first; row < last; ++row) {
    Ok(MatGetRow(A, row, &n, &columns, &values));
    Ok(MatRestoreRow(A, row, &n, &columns, &values));
  }
}

void ReadSubMatrix(Mat A)
{
  PetscInt  first, last;
  Owned<IS> rows;
  Ok(MatGetOwnershipRange(A, &first, &last));
  Ok(ISCreateStride(PETSC_COMM_WORLD, (last - first) / 2, first, 1, rows.out()));
  Ok(MatCreateSubMatrix(A, rows, rows, MAT_INITIAL_MATRIX, Owned<Mat>().out()));
}

void ReadNorms(Mat A)
{
  PetscReal norm;
  for (const NormType type : {NORM_1, NORM_FROBENIUS, NORM_INFINITY}) Ok(MatNorm(A, type, &norm));
}

void AddElsewhere(Mat A, MatStructure structure)
{
  const Owned<Mat> Y = MakeSample(kSquare.with_seed(9), TypeOf(A));
  Ok(MatAXPY(Y, 2, A, structure));
}

const Reading kReadings[] = {
  {"GetDiagonal", [](Mat A) { Ok(MatGetDiagonal(A, Left(A))); }},
  {"GetRow", ReadRows},
  {"GetRowMaxAbs", [](Mat A) { Ok(MatGetRowMaxAbs(A, Left(A), NULL)); }},
  {"GetRowSum", [](Mat A) { Ok(MatGetRowSum(A, Left(A))); }},
  {"Norm", ReadNorms},
  {"View", [](Mat A) { (void)Viewed(A, PETSC_VIEWER_ASCII_INFO_DETAIL); }},
  {"Duplicate", [](Mat A) { Ok(MatDuplicate(A, MAT_COPY_VALUES, Owned<Mat>().out())); }},
  {"Copy", [](Mat A) { Ok(MatCopy(A, MakeSample(kSquare, MATAIJ), SAME_NONZERO_PATTERN)); }},
  {"AXPY", [](Mat A) { AddElsewhere(A, SAME_NONZERO_PATTERN); }},
  {"AXPYDifferent", [](Mat A) { AddElsewhere(A, DIFFERENT_NONZERO_PATTERN); }},
  {"Transpose", [](Mat A) { Ok(MatTranspose(A, MAT_INITIAL_MATRIX, Owned<Mat>().out())); }},
  {"CreateSubMatrix", ReadSubMatrix},
  {"MatMatMult", [](Mat A) { Ok(MatMatMult(A, A, MAT_INITIAL_MATRIX, PETSC_DEFAULT, Owned<Mat>().out())); }},
  {"PtAP", [](Mat A) { Ok(MatPtAP(A, A, MAT_INITIAL_MATRIX, PETSC_DEFAULT, Owned<Mat>().out())); }},
  {"TransposeMatMult", [](Mat A) { Ok(MatTransposeMatMult(A, A, MAT_INITIAL_MATRIX, PETSC_DEFAULT, Owned<Mat>().out())); }},
  {"Jacobi", [](Mat A) { Solve(A, PCJACOBI); }},
  {"SOR", [](Mat A) { Solve(A, PCSOR); }},
  {"BlockJacobi", [](Mat A) { Solve(A, PCBJACOBI); }},
  {"AdditiveSchwarz", [](Mat A) { Solve(A, PCASM); }},
  {"Multigrid", [](Mat A) { Solve(A, PCGAMG); }},
};

class Reads : public testing::TestWithParam<std::tuple<std::string, Reading>> { };
INSTANTIATE_TEST_SUITE_P(Types, Reads, testing::Combine(EachType(), testing::ValuesIn(kReadings)),
                         [](const auto &info) { return std::get<0>(info.param) + "_" + std::get<1>(info.param).name; });

TEST_P(Reads, LeaveTheFormatAlone)
{
  const auto &[root, reading] = GetParam();
  const Owned<Mat> A = MakeSample(kSquare, root), reference = MakeSample(kSquare, MATAIJ);
  MultiplyOnce(A);
  const Counts before = CountsOf(A);
  reading.apply(A);
  ExpectSameProducts(A, reference);
  EXPECT_EQ(before, CountsOf(A));
}

} // namespace
