/// Whatever only reads a matrix leaves its format alone: the next product builds and refreshes nothing. What PETSc's
/// object states say of such calls differs between its versions.

#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"
#include "glue/door/attach.hpp"

using namespace petscspmv::test;

namespace {

struct Reading : NamedCase {
  void (*apply)(Mat A);
};

Owned<Vec> Left(Mat A)
{
  Owned<Vec> y;
  Ok(MatCreateVecs(A, NULL, y.out()));
  return y;
}

void SolveForAWhile(Mat A, PCType type)
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

void ReadArrays(Mat A)
{
  Ok(petscspmv::shadow::ForEachPart(A, [](Mat part) {
    const PetscScalar *values;
    Ok(MatSeqAIJGetArrayRead(part, &values));
    Ok(MatSeqAIJRestoreArrayRead(part, &values));
    return PETSC_SUCCESS;
  }));
}

void AddElsewhere(Mat A, MatStructure structure)
{
  const Owned<Mat> Y = MakeSample(kSquare.with_seed(9), TypeOf(A));
  Ok(MatAXPY(Y, 2, A, structure));
}

const Reading kReadings[] = {
  {"GetDiagonal", [](Mat A) { Ok(MatGetDiagonal(A, Left(A))); }},
  {"GetRow", ReadRows},
  {"GetArrayRead", ReadArrays},
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
  {"Jacobi", [](Mat A) { SolveForAWhile(A, PCJACOBI); }},
  {"SOR", [](Mat A) { SolveForAWhile(A, PCSOR); }},
  {"BlockJacobi", [](Mat A) { SolveForAWhile(A, PCBJACOBI); }},
  {"AdditiveSchwarz", [](Mat A) { SolveForAWhile(A, PCASM); }},
  {"Multigrid", [](Mat A) { SolveForAWhile(A, PCGAMG); }},
};

class Reads : public TypeTestWith<Reading> { };
INSTANTIATE_TEST_SUITE_P(Types, Reads, EachTypeWith(kReadings), TypeAndCase);

TEST_P(Reads, LeaveTheFormatAlone)
{
  const Owned<Mat> A = MakeSample(kSquare, root()), reference = MakeSample(kSquare, MATAIJ);
  MultiplyOnce(A);
  const Counts before = CountsOf(A);
  at_hand().apply(A);
  ExpectSameProducts(A, reference);
  EXPECT_EQ(before, CountsOf(A));
}

} // namespace
