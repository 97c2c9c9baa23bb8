/// Products with dense matrices: ours against AIJ's, in all the ways in which a program may ask for them.

#include <algorithm>
#include <limits>

#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"

using namespace petscspmv::test;

namespace {

/// On the host, also where there is a device.
class DenseProducts : public TypeTest {
  const OptionGuard host_{"-mat_spmv_vec_type", "standard"};
};
INSTANTIATE_TEST_SUITE_P(Types, DenseProducts, EachType(), TypeName);

Owned<Mat> Product(Mat A, Mat B)
{
  Owned<Mat> C;
  Ok(MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, C.out()));
  return C;
}

/// A product of a sparse matrix with several vectors.
struct Kind {
  const char *name;
  PetscErrorCode (*multiply)(Mat, Mat, MatReuse, PetscReal, Mat *);
  bool transposed; ///< B has as many rows as A; else as A has columns, or, in A B^T, as many columns

  /// B for so many vectors.
  Owned<Mat> operand(Mat A, PetscInt columns, unsigned seed, PetscInt gap = 0) const
  {
    if (multiply != &MatMatTransposeMult) return MakeDense(A, transposed, columns, seed, gap);
    PetscInt cols;
    Ok(MatGetSize(A, NULL, &cols));
    return MakeDense(MakeSample({columns, cols}, MATAIJ), true, cols, seed, gap);
  }
  Owned<Mat> product(Mat A, Mat B) const
  {
    Owned<Mat> C;
    Ok(multiply(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, C.out()));
    return C;
  }
};

/// Of parallel matrices, PETSc multiplies no A B^T.
std::vector<Kind> Kinds()
{
  std::vector<Kind> kinds{{"AB", MatMatMult, false}, {"AtB", MatTransposeMatMult, true}, {"ABt", MatMatTransposeMult, false}};
  if (Ranks() > 1) kinds.pop_back();
  return kinds;
}

const std::vector<Sample> kShapes{
  kSquare, kHoley, kTall, kWide, {40, 40, true, 5, false, true}, {1, 1}, {24, 24, true, 6, false, false, Layout::first_rank_empty},
};

TEST_P(DenseProducts, EqualThoseOfAijForAnyNumberOfColumns)
{
  for (const Sample &shape : kShapes) {
    const Owned<Mat> A = MakeSample(shape, root()), reference = MakeSample(shape, MATAIJ);
    for (const Kind &kind : Kinds())
      for (PetscInt columns : {1, 2, 3, 4, 7, 8, 9, 16, 20})
        for (PetscInt gap : {0, 3}) {
          SCOPED_TRACE(std::to_string(shape.rows) + " x " + std::to_string(shape.cols) + ", columns: " + std::to_string(columns));
          const Owned<Mat> B = kind.operand(A, columns, 1, gap);
          ExpectEqualDense(kind.product(A, B), kind.product(reference, B), kind.name);
        }
  }
}

// One product by the format a rank: of the matrix, or of its diagonal block. It is AIJ's own code that would be right,
// too.
TEST_P(DenseProducts, RunThroughTheFormat)
{
  for (const Kind &kind : Kinds()) {
    if (kind.transposed && Ranks() > 1) continue; // PETSc's own product, of blocks that it makes
    const Owned<Mat> A = MakeSample(kTall, root()), B = kind.operand(A, 5, 1);
    Owned<Mat>       C;
    EXPECT_EQ(1, ProductsDuring([&] { C = kind.product(A, B); })) << kind.name;
    EXPECT_EQ(1, ProductsDuring([&] { Ok(kind.multiply(A, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, C.inout())); })) << kind.name;
  }
}

TEST_P(DenseProducts, FlopsAreThoseOfAij)
{
  const auto flops = [](const std::string &type, const Kind &kind) {
    const Owned<Mat> A = MakeSample(kSquare, type), B = kind.operand(A, 5, 1);
    const Owned<Mat> C = kind.product(A, B);
    PetscLogDouble   before, after;
    Ok(PetscGetFlops(&before));
    const Owned<Mat> D = kind.product(A, B);
    Ok(PetscGetFlops(&after));
    return after - before;
  };
  for (const Kind &kind : Kinds()) EXPECT_EQ(flops(MATAIJ, kind), flops(root(), kind)) << kind.name;
}

TEST_P(DenseProducts, FollowNewValuesAndOtherOperands)
{
  const Owned<Mat> A = MakeSample(kTall, root()), reference = MakeSample(kTall, MATAIJ), B = MakeDense(A, false, 9, 1),
                   other = MakeDense(A, false, 9, 2, Ranks() > 1 ? 0 : 5); // in parallel, PETSc wants the distances to stay
  Owned<Mat> C = Product(A, B), expected = Product(reference, B);
  const auto again = [&](Mat a, Mat b, Mat with, const char *what) {
    Ok(MatMatMult(a, with, MAT_REUSE_MATRIX, PETSC_DEFAULT, C.inout()));
    Ok(MatMatMult(b, with, MAT_REUSE_MATRIX, PETSC_DEFAULT, expected.inout()));
    ExpectEqualDense(C, expected, what);
  };
  again(A, reference, B, "the same once more");
  for (Mat mat : {(Mat)A, (Mat)reference}) Ok(MatScale(mat, 3));
  const Counts counts = CountsDuring([&] { again(A, reference, B, "new values of A"); });
  EXPECT_EQ(0, counts.builds);
  const bool plain = root() == "ccoo" || root() == "aijauto"; // may go on by plain CSR, which is not counted
  EXPECT_GE(counts.refreshes, plain ? 0 : 1);
  Ok(MatScale(B, 2));
  again(A, reference, B, "new values of B");
  again(A, reference, other, "another B");
  const Owned<Mat> A2 = MakeSample(kTall.with_seed(9), root()), reference2 = MakeSample(kTall.with_seed(9), MATAIJ);
  again(A2, reference2, B, "another A");
}

TEST_P(DenseProducts, OfTransposesFollowNewValues)
{
  for (const Kind &kind : Kinds()) {
    const Owned<Mat> A = MakeSample(kWide, root()), reference = MakeSample(kWide, MATAIJ), B = kind.operand(A, 9, 1);
    Owned<Mat>       C = kind.product(A, B), expected = kind.product(reference, B);
    for (Mat mat : {(Mat)A, (Mat)reference}) Ok(MatScale(mat, 3));
    for (const auto &[mat, product] : {std::pair((Mat)A, &C), {(Mat)reference, &expected}})
      Ok(kind.multiply(mat, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, product->inout()));
    ExpectEqualDense(C, expected, kind.name);
  }
}

TEST_P(DenseProducts, WherePetscLikesAreRight)
{
  const OptionGuard anywhere("-mat_spmv_vec_type", "auto");
  const Owned<Mat>  A = MakeSample(kSquare, root()), reference = MakeSample(kSquare, MATAIJ);
  for (const Kind &kind : Kinds()) {
    const Owned<Mat> B = kind.operand(A, 9, 1);
    ExpectEqualDense(kind.product(A, B), kind.product(reference, B), kind.name);
  }
}

// A view of some columns of a larger matrix.
TEST_P(DenseProducts, WithViewsOfColumns)
{
  const Owned<Mat> A = MakeSample(kSquare, root()), reference = MakeSample(kSquare, MATAIJ), large = MakeDense(A, false, 12, 3, 2);
  for (const auto &[from, to] : {std::pair(0, 8), {3, 12}, {5, 6}}) {
    Mat part;
#if PETSC_VERSION_LT(3, 17, 0)
    Ok(MatDenseGetSubMatrix(large, from, to, &part));
#else
    Ok(MatDenseGetSubMatrix(large, PETSC_DECIDE, PETSC_DECIDE, from, to, &part));
#endif
    ExpectEqualDense(Product(A, part), Product(reference, part), "columns " + std::to_string(from) + " to " + std::to_string(to));
    Ok(MatDenseRestoreSubMatrix(large, &part));
  }
}

// Of which the program gives the arrays, and C, too, which is no product yet.
TEST_P(DenseProducts, IntoMatricesOfTheProgram)
{
  const Owned<Mat>  A = MakeSample(kTall, root()), reference = MakeSample(kTall, MATAIJ), B = MakeDense(A, false, 6, 4);
  const PetscScalar nan = std::numeric_limits<PetscReal>::quiet_NaN();
  PetscInt          rows, all;
  Ok(MatGetLocalSize(A, &rows, NULL));
  Ok(MatGetSize(A, &all, NULL));
  std::vector<PetscScalar> array((std::size_t)rows * 6 + 1, nan);
  Owned<Mat>               C;
  Ok(MatCreateDense(PETSC_COMM_WORLD, rows, PETSC_DECIDE, all, 6, array.data(), C.out()));
  for (int repeat = 0; repeat < 2; ++repeat) {
    Ok(MatMatMult(A, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, C.inout()));
    ExpectEqualDense(C, Product(reference, B), "C");
    std::fill(array.begin(), array.end(), nan);
  }
}

// PCMatApply with the matrix itself for a preconditioner is what KSPMatSolve does here.
TEST_P(DenseProducts, InSolvesWithSeveralRightHandSides)
{
  const Owned<Mat> A = MakeSample(kSquare, root()), reference = MakeSample(kSquare, MATAIJ), B = MakeDense(A, false, 9, 5);
  const Owned<Mat> X   = MakeDense(A, false, 9, 6);
  const Owned<KSP> ksp = MakeSolver(A, PCMAT, KSPPREONLY);
  EXPECT_EQ(1, ProductsDuring([&] { Ok(KSPMatSolve(ksp, B, X)); }));
  ExpectEqualDense(X, Product(reference, B), "X");
}

// Options are read where the first product of a parallel matrix is one with a dense matrix.
TEST_P(DenseProducts, ReadOptionsFirst)
{
  const OptionGuard guard("-mat_spmv_threads", "-1");
  const Owned<Mat>  A = MakeSample(kSquare, root()), B = MakeDense(A, false, 3, 1);
  const Failure     failure = FailureOf([&] {
    Owned<Mat> C;
    return MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, C.inout());
  });
  EXPECT_NE(PETSC_SUCCESS, failure.code);
}

} // namespace
