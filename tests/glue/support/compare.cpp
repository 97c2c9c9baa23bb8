#include "glue/support/compare.hpp"

#include <algorithm>
#include <cstring>
#include <ostream>

#include <gtest/gtest.h>

#include "glue/compat.hpp"
#include "glue/support/samples.hpp"
#include "petscspmv.h"

namespace petscspmv::test {

const std::vector<ProductKind> &ProductKinds()
{
  static const std::vector<ProductKind> kinds{
    {"MatMult", false, false, [](Mat A, Vec x, Vec y) { return MatMult(A, x, y); }},
    {"MatMultAdd", false, true, [](Mat A, Vec x, Vec y) { return MatMultAdd(A, x, y, y); }},
    {"MatMultTranspose", true, false, [](Mat A, Vec x, Vec y) { return MatMultTranspose(A, x, y); }},
    {"MatMultTransposeAdd", true, true, [](Mat A, Vec x, Vec y) { return MatMultTransposeAdd(A, x, y, y); }},
    {"MatMultHermitianTranspose", true, false, [](Mat A, Vec x, Vec y) { return MatMultHermitianTranspose(A, x, y); }},
    {"MatMultHermitianTransposeAdd", true, true, [](Mat A, Vec x, Vec y) { return MatMultHermitianTransposeAdd(A, x, y, y); }},
  };
  return kinds;
}

static Owned<Vec> RightOrLeft(Mat A, bool right)
{
  Owned<Vec> v;
  Ok(MatCreateVecs(A, right ? v.out() : NULL, right ? NULL : v.out()));
  return v;
}
Owned<Vec> InputOf(Mat A, const ProductKind &kind)
{
  return RightOrLeft(A, !kind.transposed);
}
Owned<Vec> OutputOf(Mat A, const ProductKind &kind)
{
  return RightOrLeft(A, kind.transposed);
}

/// Product `kind` of A with small integers, into a vector that held NaN, or small integers to add to.
static Owned<Vec> Product(Mat A, const ProductKind &kind)
{
  Owned<Vec> x = InputOf(A, kind), y = OutputOf(A, kind);
  SetSmallIntegers(x, 5);
  if (kind.add) SetSmallIntegers(y, 6);
  else SetNaN(y);
  Ok(kind.apply(A, x, y));
  return y;
}

static bool SameBits(PetscScalar a, PetscScalar b)
{
  return a == b || (a != a && b != b);
}

void ExpectSameVectors(Vec x, Vec reference, const std::string &what)
{
  PetscInt           n, m, different = 0;
  const PetscScalar *a, *b;

  Ok(VecGetLocalSize(x, &n));
  Ok(VecGetLocalSize(reference, &m));
  ASSERT_EQ(n, m) << what;
  Ok(VecGetArrayRead(x, &a));
  Ok(VecGetArrayRead(reference, &b));
  for (PetscInt i = 0; i < n && different < 1; ++i)
    if (!SameBits(a[i], b[i])) {
      ADD_FAILURE() << what << ": local entry " << i << " is " << a[i] << ", but must be " << b[i];
      different++;
    }
  Ok(VecRestoreArrayRead(x, &a));
  Ok(VecRestoreArrayRead(reference, &b));
}

void ExpectNearVectors(Vec x, Vec reference, const std::string &what)
{
  PetscInt           n;
  const PetscScalar *a, *b;
  Ok(VecGetLocalSize(x, &n));
  Ok(VecGetArrayRead(x, &a));
  Ok(VecGetArrayRead(reference, &b));
  for (PetscInt i = 0; i < n; ++i) EXPECT_LE(PetscAbsScalar(a[i] - b[i]), 1e-13 * (1 + PetscAbsScalar(b[i]))) << what << ", entry " << i;
  Ok(VecRestoreArrayRead(reference, &b));
  Ok(VecRestoreArrayRead(x, &a));
}

static bool IsHermitianAdd(const ProductKind &kind)
{
  return kind.name == std::string("MatMultHermitianTransposeAdd");
}

std::vector<ProductKind> KindsWithoutWorkVectors(Mat A)
{
  std::vector<ProductKind> kinds = ProductKinds();
  shadow::VoidFn           transposed, hermitian;
  Ok(MatGetOperation(A, MATOP_MULT_TRANSPOSE_ADD, &transposed));
  Ok(MatGetOperation(A, MATOP_MULT_HERMITIAN_TRANS_ADD, &hermitian));
  if (transposed == hermitian) std::erase_if(kinds, IsHermitianAdd);
  return kinds;
}

bool IsRefused(Mat A, const ProductKind &kind)
{
  const bool of_petsc = TypeOf(A) == MATSEQAIJCUSPARSE || TypeOf(A) == MATSEQAIJKOKKOS;
  return !PetscDefined(USE_COMPLEX) && of_petsc && IsHermitianAdd(kind);
}

void ExpectSameProducts(Mat A, Mat reference, CallSite where)
{
  testing::ScopedTrace trace(where.file, where.line, "products");
  for (const ProductKind &kind : ProductKinds()) {
    if (IsRefused(A, kind) || IsRefused(reference, kind)) continue;
    const Owned<Vec> y = Product(A, kind), expected = Product(reference, kind);
    ExpectSameVectors(y, expected, kind.name);
  }
}

void ExpectSameTransposedDenseProduct(Mat A, Mat reference)
{
  const Owned<Mat> B = MakeDense(A, true, 3, 7);
  Owned<Mat>       C, expected;
  Ok(MatTransposeMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, C.out()));
  Ok(MatTransposeMatMult(reference, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, expected.out()));
  ExpectEqualDense(C, expected, "A^T B");
}

template <MatOption... options> static void Tell(Mat A)
{
  (Ok(MatSetOption(A, options, PETSC_TRUE)), ...);
}

const std::vector<Knowledge> &KnowledgeOfSymmetry()
{
  static const std::vector<Knowledge> all{
    {"MAT_SYMMETRIC", false, Tell<MAT_SYMMETRIC>},
    {"MAT_SYMMETRY_ETERNAL", false, Tell<MAT_SYMMETRIC, MAT_SYMMETRY_ETERNAL>},
    {"MAT_HERMITIAN", false,
     [](Mat A) {
       if (!PetscDefined(USE_COMPLEX)) Tell<MAT_HERMITIAN>(A); // else PETSc itself multiplies and conjugates by it
     }},
    {"MAT_SPD", false, Tell<MAT_SPD>},
    {"MAT_STRUCTURALLY_SYMMETRIC", false, Tell<MAT_STRUCTURALLY_SYMMETRIC>},
    {"MatIsSymmetric", true,
     [](Mat A) {
       PetscBool is;
       Ok(MatIsSymmetric(A, 0, &is));
       EXPECT_TRUE(is) << "the test must have something to find";
     }},
    {"MatIsHermitian", true,
     [](Mat A) {
       PetscBool is;
       // PETSc has it of sequential matrices, and 3.22 raises an error for all.
       FailureOf([A, &is] { return MatIsHermitian(A, 0, &is); });
     }},
  };
  return all;
}

void ExpectSameEntries(Mat A, Mat reference, CallSite where)
{
  PetscInt first, last, expected_first, expected_last;
  Ok(MatGetOwnershipRange(A, &first, &last));
  Ok(MatGetOwnershipRange(reference, &expected_first, &expected_last));
  testing::ScopedTrace trace(where.file, where.line, "entries");
  ASSERT_EQ(expected_first, first);
  ASSERT_EQ(expected_last, last);
  for (PetscInt row = first; row < last; ++row) {
    PetscInt           n, m;
    const PetscInt    *columns, *expected_columns;
    const PetscScalar *values, *expected;
    Ok(MatGetRow(A, row, &n, &columns, &values));
    Ok(MatGetRow(reference, row, &m, &expected_columns, &expected));
    EXPECT_EQ(m, n) << "entries of row " << row;
    for (PetscInt k = 0; k < std::min(n, m); ++k) {
      EXPECT_EQ(expected_columns[k], columns[k]) << "row " << row;
      EXPECT_EQ(expected[k], values[k]) << "row " << row << ", column " << columns[k];
    }
    Ok(MatRestoreRow(reference, row, &m, &expected_columns, &expected));
    Ok(MatRestoreRow(A, row, &n, &columns, &values));
  }
}

void ExpectEqualDense(Mat C, Mat expected, const std::string &what)
{
  PetscBool equal;
  Ok(MatEqual(C, expected, &equal));
  EXPECT_TRUE(equal) << what;
}

Solution Solve(Mat A, PCType preconditioner, KSPType method, PetscReal tolerance)
{
  const Owned<Vec> b = OutputOf(A, ProductKinds()[0]), x = InputOf(A, ProductKinds()[0]), r = OutputOf(A, ProductKinds()[0]);
  const Owned<KSP> ksp = MakeSolver(A, preconditioner, method);
  PetscReal        norm;
  Solution         solution;
  SetSmallIntegers(b, 4);
  Ok(KSPSetFromOptions(ksp));
  Ok(KSPSetTolerances(ksp, tolerance, PETSC_DEFAULT, PETSC_DEFAULT, 1000));
  solution.failure = FailureOf([&] { return KSPSolve(ksp, b, x); });
  if (solution.failure.code != PETSC_SUCCESS) return solution;
  Ok(KSPGetIterationNumber(ksp, &solution.iterations));
  Ok(MatMult(A, x, r));
  Ok(VecAYPX(r, -1, b));
  Ok(VecNorm(r, NORM_2, &solution.residual));
  Ok(VecNorm(b, NORM_2, &norm));
  solution.residual /= norm;
  return solution;
}

void ExpectSolved(Mat A, PCType type)
{
  const Solution s = Solve(A, type, NULL, 1e-10);
  EXPECT_EQ(PETSC_SUCCESS, s.failure.code) << s.failure.message;
  EXPECT_LT(s.residual, 1e-9);
}

void ExpectContains(const std::string &text, const std::string &part)
{
  EXPECT_NE(std::string::npos, text.find(part)) << "'" << part << "' is missing in: " << text;
}

void MultiplyOnce(Mat A)
{
  Product(A, ProductKinds().front());
}

std::ostream &operator<<(std::ostream &out, const Counts &counts)
{
  return out << counts.builds << " builds, " << counts.refreshes << " refreshes";
}

Counts CountsOf(Mat A)
{
  Counts counts;
  Ok(MatSpMVGetCounts(A, &counts.builds, &counts.refreshes));
  return counts;
}

PetscEventPerfInfo EventInfo(const char name[])
{
  PetscLogEvent      event;
  PetscEventPerfInfo info;
  Ok(PetscLogEventGetId(name, &event));
  Ok(PetscLogEventGetPerfInfo(0, event, &info));
  return info;
}

Counts LoggedCounts()
{
  return {(PetscInt)EventInfo("MatSpMVBuild").count, (PetscInt)EventInfo("MatSpMVRefresh").count};
}

Counts CountsDuring(const std::function<void()> &work)
{
  const Counts before = LoggedCounts();
  work();
  return LoggedCounts() - before;
}

int ProductsDuring(const std::function<void()> &work)
{
  const int before = EventInfo("MatSpMVProduct").count;
  work();
  return EventInfo("MatSpMVProduct").count - before;
}

PetscInt BlocksOf(Mat A)
{
  return TypeOf(A).starts_with("mpi") ? 2 : 1;
}

} // namespace petscspmv::test
