/// Products of sparse matrices by our kernels: PETSc's patterns and values, and PETSc's own where a program
/// wants them.

#include <optional>
#include <tuple>

#include <petsc/private/matimpl.h> // which function multiplies

#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"

using namespace petscspmv::test;

namespace {

struct Kind : NamedCase {
  MatProductType type;
  const char    *algorithm; ///< one of PETSc's
};
const std::vector<Kind> kKinds{{"AB", MATPRODUCT_AB, "scalable"},
                               {"AtB", MATPRODUCT_AtB, "at*b"},
                               {"ABt", MATPRODUCT_ABt, "color"},
                               {"PtAP", MATPRODUCT_PtAP, "rap"},
                               {"RARt", MATPRODUCT_RARt, "coloring_rart"}};
bool                    IsTriple(MatProductType type)
{
  return type == MATPRODUCT_PtAP || type == MATPRODUCT_RARt;
}
bool TransposesB(MatProductType type)
{
  return type == MATPRODUCT_ABt || type == MATPRODUCT_RARt;
}

/// A sequential sample of a type. `nodes`: each entry is a block of two rows and two columns.
Owned<Mat> Make(const Sample &sample, const std::string &type, bool nodes = false)
{
  if (!nodes) return MakeSample(sample, type, PETSC_COMM_SELF);
  Owned<Mat> A = Sized(type, 2 * sample.rows, 2 * sample.cols, PETSC_COMM_SELF, 2);
  Ok(MatSeqAIJSetPreallocation(A, 2 * sample.cols, NULL));
  for (PetscInt row = 0; row < sample.rows; ++row)
    for (const PetscInt col : SampleColumns(sample, row))
      for (PetscInt k = 0; k < 4; ++k)
        Ok(MatSetValue(A, 2 * row + k / 2, 2 * col + k % 2, SampleValue(sample, row, col) + (double)k, INSERT_VALUES));
  Ok(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  Ok(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  return A;
}

Owned<Mat> Product(MatProductType type, Mat A, Mat B, const char *algorithm = nullptr)
{
  Owned<Mat> C;
  Ok(MatProductCreate(A, B, nullptr, C.out()));
  Ok(MatProductSetType(C, type));
  if (algorithm) Ok(MatProductSetAlgorithm(C, algorithm));
  Ok(MatProductSetFromOptions(C));
  Ok(MatProductSymbolic(C));
  Ok(MatProductNumeric(C));
  return C;
}

/// The function that multiplies tells whose the product is.
auto NumericOf(Mat C)
{
  return C->ops->productnumeric;
}
bool IsOurs(Mat C, MatProductType type)
{
  PetscBool on_device;
  Ok(PetscObjectTypeCompare((PetscObject)C, MATSEQAIJCUSPARSE, &on_device));
  const Owned<Mat> A = Make(kSquare, on_device ? MATAIJCUSPARSE : MATAIJ);
  return NumericOf(C) != NumericOf(Product(type, A, A));
}

class SparseProducts : public TypeTestWith<Kind> {
  /// One thread of the host leaves R A R^T to PETSc.
  std::optional<OptionGuard> threads_;

protected:
  SparseProducts()
  {
    if (at_hand().type == MATPRODUCT_RARt) threads_.emplace("-mat_spmv_threads", "2");
  }
};
INSTANTIATE_TEST_SUITE_P(Types, SparseProducts, EachTypeWith(kKinds), TypeAndCase);

TEST_P(SparseProducts, HaveTheEntriesOfPetsc)
{
  for (const bool nodes : {false, true})
    for (const Sample &right : {kSquare.with_seed(2), TransposesB(at_hand().type) ? Sample{9, 24, false, 3} : Sample{24, 9, false, 3}}) {
      const Owned<Mat> A = Make(kSquare, root(), nodes), B = Make(right, root(), nodes), a = Make(kSquare, MATAIJ, nodes),
                       b = Make(right, MATAIJ, nodes), C = Product(at_hand().type, A, B), c = Product(at_hand().type, a, b);
      PetscInt rows, cols, expected_rows, expected_cols;
      EXPECT_TRUE(IsOurs(C, at_hand().type));
      ExpectSameEntries(C, c);
      Ok(MatGetBlockSizes(C, &rows, &cols));
      Ok(MatGetBlockSizes(c, &expected_rows, &expected_cols));
      EXPECT_EQ(std::pair(rows, cols), std::pair(expected_rows, expected_cols));
      Ok(MatScale(A, 3));
      Ok(MatScale(a, 3));
      Ok(MatProductNumeric(C));
      Ok(MatProductNumeric(c));
      ExpectSameEntries(C, c);
    }
}

// PETSc's C = A B^T has the block size of B's columns in the place of its rows'.
TEST_P(SparseProducts, HaveTheBlockSizesOfTheirFactors)
{
  Owned<Mat> made[2];
  PetscInt   rows[2]{}, cols[2]{};
  for (const int of_petsc : {0, 1}) {
    const std::string type = of_petsc ? MATAIJ : root();
    const Owned<Mat>  A = Make(kSquare, type), B = Make(kSquare.with_seed(2), type);
    Ok(MatSetBlockSizes(A, 4, 8));
    Ok(MatSetBlockSizes(B, 3, 2));
    made[of_petsc] = Product(at_hand().type, A, B);
    Ok(MatGetBlockSizes(made[of_petsc], &rows[of_petsc], &cols[of_petsc]));
  }
  ExpectSameEntries(made[0], made[1]);
  EXPECT_EQ(rows[0], rows[1]);
  EXPECT_EQ(cols[0], at_hand().type == MATPRODUCT_ABt ? 3 : cols[1]);
}

// PETSc multiplies A A in the place of A^T A, whatever A is.
TEST_P(SparseProducts, BelieveThatAMatrixIsSymmetric)
{
  const Owned<Mat> A = Make(Sample{24, 24, false, 7}, root()), a = Make(Sample{24, 24, false, 7}, MATAIJ);
  for (Mat mat : {(Mat)A, (Mat)a}) Ok(MatSetOption(mat, MAT_SYMMETRIC, PETSC_TRUE));
  ExpectSameEntries(Product(at_hand().type, A, A), Product(at_hand().type, a, a));
}

TEST_P(SparseProducts, TakeOtherFactorsOfTheSamePattern)
{
  const bool       triple = IsTriple(at_hand().type);
  const Owned<Mat> A = Make(kSquare, root()), B = Make(kSquare.with_seed(2), root()), C = Product(at_hand().type, A, A),
                   a = Make(kSquare, MATAIJ), b = Make(kSquare.with_seed(2), MATAIJ);
  Ok(MatProductReplaceMats(triple ? (Mat)A : (Mat)B, B, nullptr, C));
  Ok(MatProductNumeric(C));
  ExpectSameEntries(C, Product(at_hand().type, triple ? a : b, b));
}

TEST_P(SparseProducts, RefuseFactorsOfAnotherPattern)
{
  const Sample     local{24, 24, true, 1, false, true};
  const Owned<Mat> near = Make(local, root()), far = Make(kSquare, root()), C = Product(at_hand().type, near, near);
  Ok(MatProductReplaceMats(far, far, nullptr, C));
  for (int time = 0; time < 2; ++time) {
    const Failure failure = FailureOf([&] { return MatProductNumeric(C); });
    EXPECT_EQ(failure.code, PETSC_ERR_ARG_WRONGSTATE);
    EXPECT_NE(failure.message.find("use MAT_INITIAL_MATRIX"), std::string::npos) << failure.message;
  }
  const Owned<Mat> near_aij = Make(local, MATAIJ);
  Ok(MatProductReplaceMats(near, near, nullptr, C));
  Ok(MatProductNumeric(C));
  ExpectSameEntries(C, Product(at_hand().type, near_aij, near_aij));
}

// C is full in both cases, as a row of A is, or a column of the transpose.
TEST_P(SparseProducts, TakeFactorsOfAnotherPatternIfThatOfTheProductStays)
{
  if (at_hand().type == MATPRODUCT_AB) return;
  const auto make = [&](const Sample &sample, const std::string &type) {
    Owned<Mat> A = Make(sample, type), transpose;
    if (!TransposesB(at_hand().type)) return A;
    Ok(MatTranspose(A, MAT_INITIAL_MATRIX, transpose.out()));
    Ok(MatConvert(transpose, type.c_str(), MAT_INPLACE_MATRIX, transpose.inout())); // on a device it is PETSc's
    return transpose;
  };
  const Owned<Mat> A = make(kSquare, root()), B = make(Sample{24, 24, false, 7}, root()), C = Product(at_hand().type, A, A),
                   b = make(Sample{24, 24, false, 7}, MATAIJ), a = make(kSquare, MATAIJ);
  EXPECT_TRUE(IsOurs(C, at_hand().type));
  Ok(MatProductReplaceMats(A, B, nullptr, C));
  Ok(MatProductNumeric(C));
  ExpectSameEntries(C, Product(at_hand().type, a, b));
}

TEST_P(SparseProducts, OutliveTheirData)
{
  const Owned<Mat> A = Make(kSquare, root()), C = Product(at_hand().type, A, A), a = Make(kSquare, MATAIJ);
  Ok(MatProductClear(C));
  ExpectSameEntries(C, Product(at_hand().type, a, a));
}

TEST_P(SparseProducts, AreTheSameWithMoreThreads)
{
  const Owned<Mat>  A = Make(kSquare, root(), true), C = Product(at_hand().type, A, A);
  const OptionGuard threads("-mat_spmv_threads", "3");
  const Owned<Mat>  B = Make(kSquare, root(), true);
  ExpectSameEntries(Product(at_hand().type, B, B), C);
}

TEST_P(SparseProducts, ArePetscsWhereAnAlgorithmIsNamed)
{
  const Owned<Mat> A = Make(kSquare, root());
  EXPECT_TRUE(IsOurs(Product(at_hand().type, A, A, MATPRODUCTALGORITHMDEFAULT), at_hand().type));
  EXPECT_FALSE(IsOurs(Product(at_hand().type, A, A, at_hand().algorithm), at_hand().type));
  const OptionGuard algorithm("-mat_product_algorithm", at_hand().algorithm);
  EXPECT_FALSE(IsOurs(Product(at_hand().type, A, A), at_hand().type));
}

#if PETSC_VERSION_GE(3, 26, 0)
TEST_P(SparseProducts, ArePetscsWithoutValues)
{
  if (at_hand().type != MATPRODUCT_AB && at_hand().type != MATPRODUCT_AtB) return;
  const Owned<Mat> A = Make(kSquare, root()), expected = Product(at_hand().type, Make(kSquare, MATAIJ), Make(kSquare, MATAIJ));
  Owned<Mat>       C;
  PetscBool        assembled;
  MatInfo          info, of_expected;
  Ok(MatProductCreate(A, A, nullptr, C.out()));
  Ok(MatProductSetType(C, at_hand().type));
  Ok(MatSetOption(C, MAT_STRUCTURE_ONLY, PETSC_TRUE));
  Ok(MatProductSetFromOptions(C));
  Ok(MatProductSymbolic(C));
  Ok(MatAssembled(C, &assembled));
  EXPECT_TRUE(assembled);
  Ok(MatGetInfo(C, MAT_LOCAL, &info));
  Ok(MatGetInfo(expected, MAT_LOCAL, &of_expected));
  EXPECT_EQ(info.nz_used, of_expected.nz_used);
}
#endif

TEST_P(SparseProducts, ArePetscsByOption)
{
  const OptionGuard products("-mat_spmv_products", "none");
  const Owned<Mat>  A = Make(kSquare, root());
  EXPECT_FALSE(IsOurs(Product(at_hand().type, A, A), at_hand().type));
}

// On a device, new values come from the host or are there already, and so does the diagonal.
TEST_P(SparseProducts, TakeTheNewestValues)
{
  const Owned<Mat> A = Make(kSquare, root()), a = Make(kSquare, MATAIJ), C = Product(at_hand().type, A, A),
                   c = Product(at_hand().type, a, a);
  Owned<Vec> d, expected;
  Ok(MatCreateVecs(A, d.out(), nullptr));
  Ok(MatCreateVecs(a, expected.out(), nullptr));
  for (int step = 0; step < 4; ++step) {
    SCOPED_TRACE(step);
    for (Mat mat : {(Mat)A, (Mat)a}) {
      if (step % 2 == 0) {
        for (PetscInt row = step; row < kSquare.rows; row += 3)
          for (const PetscInt col : SampleColumns(kSquare, row)) Ok(MatSetValue(mat, row, col, (PetscScalar)(row - step), INSERT_VALUES));
        Ok(MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY));
        Ok(MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY));
      } else Ok(MatScale(mat, step + 1));
    }
    for (Mat mat : {(Mat)C, (Mat)c}) Ok(MatProductNumeric(mat));
    ExpectSameEntries(C, c);
    Ok(MatGetDiagonal(A, d));
    Ok(MatGetDiagonal(a, expected));
    ExpectSameVectors(d, expected, "diagonal");
  }
}

// PETSc keeps the inverse of a diagonal.
TEST_P(SparseProducts, HaveNewDiagonalsWithNewValues)
{
  if (LivesOnDevice(root())) GTEST_SKIP() << "sweeps are on the host with plain AIJ";
  const Owned<Mat> A = Make(kSquare, root()), a = Make(kSquare, MATAIJ), C = Product(at_hand().type, A, A),
                   c = Product(at_hand().type, a, a);
  Owned<Vec> b, x, y;
  Ok(MatCreateVecs(C, x.out(), b.out()));
  Ok(VecDuplicate(x, y.out()));
  SetSmallIntegers(b, 3);
  for (const double factor : {2., 0.5, 4.}) {
    for (Mat mat : {(Mat)A, (Mat)a}) Ok(MatScale(mat, factor));
    for (Mat mat : {(Mat)C, (Mat)c}) Ok(MatProductNumeric(mat));
    Ok(MatSOR(C, b, 1, (MatSORType)(SOR_FORWARD_SWEEP | SOR_ZERO_INITIAL_GUESS), 1e-3, 1, 1, x));
    Ok(MatSOR(c, b, 1, (MatSORType)(SOR_FORWARD_SWEEP | SOR_ZERO_INITIAL_GUESS), 1e-3, 1, 1, y));
    ExpectSameVectors(x, y, "after a sweep");
  }
}

// A full column times a full row: too many products to keep a place for each.
TEST(SparseProductsOfLongRows, ArePetscs)
{
  constexpr PetscInt n      = 300;
  const Owned<Mat>   column = Sized("ccoo", n, 1, PETSC_COMM_SELF), row = Sized("ccoo", 1, n, PETSC_COMM_SELF);
  for (Mat mat : {(Mat)column, (Mat)row}) {
    Ok(MatSeqAIJSetPreallocation(mat, n, NULL));
    for (PetscInt k = 0; k < n; ++k)
      Ok(MatSetValue(mat, mat == (Mat)column ? k : 0, mat == (Mat)column ? 0 : k, (PetscScalar)k, INSERT_VALUES));
    Ok(MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY));
    Ok(MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY));
  }
  const Owned<Mat> C = Product(MATPRODUCT_AB, column, row);
  PetscScalar      value;
  EXPECT_FALSE(IsOurs(C, MATPRODUCT_AB));
  const PetscInt r = 7, c = 11;
  Ok(MatGetValues(C, 1, &r, 1, &c, &value));
  EXPECT_EQ(value, (PetscScalar)77);
}

// PETSc reads options by the names of its own functions, too.
TEST(SparseProductsByFunction, ArePetscsWhereTheirOptionsNameAnAlgorithm)
{
  const OptionGuard threads("-mat_spmv_threads", "2"); // for R A R^T
  const Owned<Mat>  A = Make(kSquare, "ccoo");
  for (const auto &[multiply, option, algorithm] :
       {std::tuple(&MatPtAP, "-matptap_via", "rap"), std::tuple(&MatRARt, "-matrart_via", "coloring_rart"),
        std::tuple(&MatMatMult, "-matmatmult_via", "scalable"), std::tuple(&MatTransposeMatMult, "-mattransposematmult_via", "at*b"),
        std::tuple(&MatMatTransposeMult, "-matmattransmult_via", "color")}) {
    SCOPED_TRACE(option);
    Owned<Mat> C, D;
    Ok(multiply(A, A, MAT_INITIAL_MATRIX, 1, C.out()));
    const OptionGuard named(option, algorithm);
    Ok(multiply(A, A, MAT_INITIAL_MATRIX, 1, D.out()));
    EXPECT_NE(NumericOf(C), NumericOf(D));
    ExpectSameEntries(C, D);
  }
}

} // namespace
