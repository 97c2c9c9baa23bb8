// What programs do with the factored matrix of a preconditioner besides solves. While the factors are ours it has no
// entries.

#include <petscksp.h>

#include <cmath>
#include <vector>

#include "glue/support/compare.hpp"
#include "glue/support/factored.hpp"
#include "petscspmv.h"

namespace petscspmv::test {
namespace {

using Answer = std::vector<PetscScalar>;

/// A call with a factored matrix F, of A perhaps, and what it says.
struct Question {
  const char *name;
  PetscErrorCode (*ask)(Mat F, Mat A, Answer &answer);
};

PetscErrorCode Entries(Vec v, Answer &answer)
{
  const PetscScalar *x;
  PetscInt           n;
  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetArrayRead(v, &x));
  answer.insert(answer.end(), x, x + n);
  PetscCall(VecRestoreArrayRead(v, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <PetscErrorCode (*get)(Mat, Vec)> PetscErrorCode OfVector(Mat F, Mat, Answer &answer)
{
  Owned<Vec> v;
  PetscFunctionBegin;
  PetscCall(MatCreateVecs(F, v.out(), NULL));
  PetscCall(get(F, v));
  PetscCall(Entries(v, answer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Multiply(Mat F, Vec y)
{
  Owned<Vec> x;
  PetscFunctionBegin;
  PetscCall(VecDuplicate(y, x.out()));
  PetscCall(MatMult(F, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Solve(Mat F, Vec x)
{
  Owned<Vec> b;
  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, b.out()));
  PetscCall(MatSolve(F, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetDiagonal(Mat F, Vec d)
{
  return MatDiagonalSet(F, d, INSERT_VALUES);
}

template <PetscErrorCode (*get)(Mat, Vec, PetscInt *)> PetscErrorCode OfExtremes(Mat F, Mat, Answer &answer)
{
  Owned<Vec>            v;
  std::vector<PetscInt> where(500);
  PetscFunctionBegin;
  PetscCall(MatCreateVecs(F, v.out(), NULL));
  PetscCall(get(F, v, where.data()));
  PetscCall(Entries(v, answer));
  answer.insert(answer.end(), where.begin(), where.end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

using GetIJ = PetscErrorCode (*)(Mat, PetscInt, PetscBool, PetscBool, PetscInt *, const PetscInt **, const PetscInt **, PetscBool *);
template <GetIJ get, GetIJ restore> PetscErrorCode OfPattern(Mat F, Mat, Answer &answer)
{
  const PetscInt *ia, *ja;
  PetscInt        n;
  PetscBool       done;
  PetscFunctionBegin;
  PetscCall(get(F, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  answer.push_back((PetscReal)done);
  if (done) answer.insert(answer.end(), ia, ia + n + 1);
  if (done) answer.insert(answer.end(), ja, ja + ia[n]);
  PetscCall(restore(F, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <PetscErrorCode (*is)(Mat, PetscReal, PetscBool *)> PetscErrorCode OfSymmetry(Mat F, Mat, Answer &answer)
{
  PetscBool yes;
  PetscFunctionBegin;
  PetscCall(is(F, 0, &yes));
  answer.push_back((PetscReal)yes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <PetscErrorCode (*find)(Mat, IS *)> PetscErrorCode OfRows(Mat F, Mat, Answer &answer)
{
  Owned<IS> rows;
  PetscInt  n = -1;
  PetscFunctionBegin;
  PetscCall(find(F, rows.out()));
  if (rows) PetscCall(ISGetLocalSize(rows, &n));
  answer.push_back((PetscReal)n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Make> PetscErrorCode NewMatrix(Make make)
{
  Owned<Mat> B;
  PetscFunctionBegin;
  PetscCall(make(B.out()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const Question questions[] = {
  {"MatGetDiagonal", OfVector<MatGetDiagonal>},
  {"MatGetTrace",
   [](Mat F, Mat, Answer &answer) {
     answer.resize(1);
     return MatGetTrace(F, answer.data());
   }},
  {"MatGetInertia",
   [](Mat F, Mat, Answer &answer) {
     PetscInt counts[3] = {};
     PetscFunctionBegin;
     PetscCall(MatGetInertia(F, &counts[0], &counts[1], &counts[2]));
     answer.assign(counts, counts + 3);
     PetscFunctionReturn(PETSC_SUCCESS);
   }},
  {"MatGetColumnNorms",
   [](Mat F, Mat, Answer &answer) {
     std::vector<PetscReal> norms(500);
     PetscFunctionBegin;
     PetscCall(MatGetColumnNorms(F, NORM_1, norms.data()));
     answer.assign(norms.begin(), norms.end());
     PetscFunctionReturn(PETSC_SUCCESS);
   }},
  {"MatGetRowMax", OfExtremes<MatGetRowMax>},
  {"MatGetRowMaxAbs", OfExtremes<MatGetRowMaxAbs>},
  {"MatGetRowMin", OfExtremes<MatGetRowMin>},
  {"MatGetRowIJ", OfPattern<MatGetRowIJ, MatRestoreRowIJ>},
  {"MatGetColumnIJ", OfPattern<MatGetColumnIJ, MatRestoreColumnIJ>},
  {"MatIsSymmetric", OfSymmetry<MatIsSymmetric>},
  {"MatIsHermitian", OfSymmetry<MatIsHermitian>},
  {"MatFindZeroDiagonals", OfRows<MatFindZeroDiagonals>},
  {"MatFindNonzeroRows", OfRows<MatFindNonzeroRows>},
  {"MatFindOffBlockDiagonalEntries", OfRows<MatFindOffBlockDiagonalEntries>},
  {"MatGetRow",
   [](Mat F, Mat, Answer &) {
     const PetscInt    *cols;
     const PetscScalar *values;
     PetscInt           n;
     return MatGetRow(F, 0, &n, &cols, &values);
   }},
  {"MatGetValues",
   [](Mat F, Mat, Answer &) {
     const PetscInt row = 0;
     PetscScalar    value;
     return MatGetValues(F, 1, &row, 1, &row, &value);
   }},
  {"MatNorm",
   [](Mat F, Mat, Answer &) {
     PetscReal norm;
     return MatNorm(F, NORM_FROBENIUS, &norm);
   }},
  {"MatDuplicate", [](Mat F, Mat, Answer &) { return NewMatrix([F](Mat *B) { return MatDuplicate(F, MAT_COPY_VALUES, B); }); }},
  {"MatConvert", [](Mat F, Mat, Answer &) { return NewMatrix([F](Mat *B) { return MatConvert(F, MATDENSE, MAT_INITIAL_MATRIX, B); }); }},
  {"MatTranspose", [](Mat F, Mat, Answer &) { return NewMatrix([F](Mat *B) { return MatTranspose(F, MAT_INITIAL_MATRIX, B); }); }},
  {"MatMatMult",
   [](Mat F, Mat A, Answer &) { return NewMatrix([=](Mat *B) { return MatMatMult(A, F, MAT_INITIAL_MATRIX, PETSC_DEFAULT, B); }); }},
  {"MatMult", OfVector<Multiply>},
  {"MatView", [](Mat F, Mat, Answer &) { return MatView(F, PETSC_VIEWER_STDOUT_SELF); }},
  {"MatScale", [](Mat F, Mat, Answer &) { return MatScale(F, 2); }},
  {"MatZeroEntries", [](Mat F, Mat, Answer &) { return MatZeroEntries(F); }},
  {"MatCopyToOther", [](Mat F, Mat A, Answer &) { return MatCopy(F, A, DIFFERENT_NONZERO_PATTERN); }},
  {"MatCopyFromOther", [](Mat F, Mat A, Answer &) { return MatCopy(A, F, DIFFERENT_NONZERO_PATTERN); }},
  {"MatAXPYToOther", [](Mat F, Mat A, Answer &) { return MatAXPY(A, 2, F, UNKNOWN_NONZERO_PATTERN); }},
  {"MatAXPYToOtherOfDifferentPattern", [](Mat F, Mat A, Answer &) { return MatAXPY(A, 2, F, DIFFERENT_NONZERO_PATTERN); }},
  {"MatAXPYToOtherOfMore", [](Mat F, Mat A, Answer &) { return MatAXPY(A, 2, F, SUBSET_NONZERO_PATTERN); }},
  {"MatAXPY", [](Mat F, Mat A, Answer &) { return MatAXPY(F, 2, A, DIFFERENT_NONZERO_PATTERN); }},
  {"MatSeqAIJGetArrayRead",
   [](Mat F, Mat, Answer &) {
     const PetscScalar *values;
     PetscFunctionBegin;
     PetscCall(MatSeqAIJGetArrayRead(F, &values));
     PetscCall(MatSeqAIJRestoreArrayRead(F, &values));
     PetscFunctionReturn(PETSC_SUCCESS);
   }},
};

/// What would change the factors, or takes them for a matrix.
const Question refused[] = {
  {"MatSetUnfactored", [](Mat F, Mat, Answer &) { return MatSetUnfactored(F); }},
  {"MatSetRandom", [](Mat F, Mat, Answer &) { return MatSetRandom(F, NULL); }},
  {"MatSetValue", [](Mat F, Mat, Answer &) { return MatSetValue(F, 0, 0, 1, INSERT_VALUES); }},
  {"MatDiagonalSet", OfVector<SetDiagonal>},
  {"MatAXPY", [](Mat F, Mat A, Answer &) { return MatAXPY(F, 2, A, DIFFERENT_NONZERO_PATTERN); }},
  {"MatEqual",
   [](Mat F, Mat A, Answer &) {
     PetscBool same;
     return MatEqual(F, A, &same);
   }},
  {"MatIsTranspose",
   [](Mat F, Mat A, Answer &) {
     PetscBool is;
     return MatIsTranspose(F, A, 0, &is);
   }},
};

class FactoredMatrix : public FactoredTest {
protected:
  struct Case {
    MatFactorType type;
    PetscReal     levels;
    const char   *order;
  };
  static constexpr Case cases[] = {{MAT_FACTOR_ILU, 0, MATORDERINGNATURAL},
                                   {MAT_FACTOR_ICC, 0, MATORDERINGNATURAL},
                                   {MAT_FACTOR_ILU, 1, MATORDERINGRCM},
                                   {MAT_FACTOR_ICC, 1, MATORDERINGRCM}};

  static void ExpectSame(const Answer &expected, const Answer &answer)
  {
    ASSERT_EQ(expected.size(), answer.size());
    for (std::size_t i = 0; i < answer.size(); ++i)
      ASSERT_LE(PetscAbsScalar(expected[i] - answer[i]), 1e-12 * (1 + PetscAbsScalar(expected[i]))) << i;
  }
};
INSTANTIATE_TEST_SUITE_P(Types, FactoredMatrix, EachType(), TypeName);

TEST_P(FactoredMatrix, AnswersAsThatOfAij)
{
  for (const auto &[type, levels, order] : cases)
    for (const Question &question : questions) {
      SCOPED_TRACE(std::string(question.name) + " " + MatFactorTypes[type] + " " + order);
      const LeakForgiver of_petsc(true); // after errors
      Answer             answers[2];
      Failure            failures[2];
      for (const int k : {0, 1}) {
        const Owned<Mat> A = stencil(k ? root() : MATAIJ);
        Factored         f(A, type, order, levels);
        Ok(f.factor(A));
        EXPECT_EQ(k == 1, is_ours(f.mat));
        failures[k] = FailureOf([&] { return question.ask(f.mat, A, answers[k]); });
      }
      // Since 3.19, PETSc asks functions that AIJ composes, which factors of ours do not have, or it compares these and
      // refuses.
      const bool compared = std::string(question.name).starts_with("MatIs") && PETSC_VERSION_GE(3, 19, 0);
      if (compared && (failures[0].code || failures[1].code == PETSC_ERR_SUP)) continue;
      EXPECT_EQ(failures[0].code, failures[1].code) << failures[0].message << " / " << failures[1].message;
      ExpectSame(answers[0], answers[1]);
    }
}

TEST_P(FactoredMatrix, RefusesWhatItCannot)
{
  const LeakForgiver of_petsc(true);
  const Owned<Mat>   A = stencil(root());
  for (const auto &[type, levels, order] : cases) {
    Factored f(A, type, order, levels);
    Ok(f.factor(A));
    const Owned<Vec> before = solved(f, A, MatSolve);
    for (const Question &question : refused) {
      Answer        none;
      const Failure failure = FailureOf([&] { return question.ask(f.mat, A, none); });
      EXPECT_NE(PETSC_SUCCESS, failure.code) << question.name;
      EXPECT_FALSE(failure.message.empty()) << question.name;
    }
    ExpectSameVectors(solved(f, A, MatSolve), before, "MatSolve");
  }
}

// AIJ's operations read the arrays of another matrix of their type, and F has none.
TEST_P(FactoredMatrix, IsNotAddedToPlainMatrices)
{
  const LeakForgiver of_petsc(true);
  const Owned<Mat>   A = stencil(root()), sum = stencil(MATAIJ), before = stencil(MATAIJ);
  PetscBool          equal;
  for (const auto &[type, levels, order] : cases) {
    Factored f(A, type, order, levels);
    Ok(f.factor(A));
    for (const MatStructure pattern : {DIFFERENT_NONZERO_PATTERN, SUBSET_NONZERO_PATTERN, UNKNOWN_NONZERO_PATTERN, SAME_NONZERO_PATTERN})
      EXPECT_NE(PETSC_SUCCESS, FailureOf([&] { return MatAXPY(sum, 2, f.mat, pattern); }).code) << MatStructures[pattern];
  }
  Ok(MatEqual(sum, before, &equal));
  EXPECT_TRUE(equal);
}

// Also after the matrix has gone.
TEST_P(FactoredMatrix, AnswersOfTheFactorsAsTheyAre)
{
  Owned<Mat> A = stencil(root());
  Factored   f(A, MAT_FACTOR_ILU);
  Answer     first, second;
  EXPECT_EQ(PETSC_ERR_ORDER, FailureOf([&] { return OfVector<MatGetDiagonal>(f.mat, A, first); }).code) << "there are none yet";
  EXPECT_EQ(PETSC_ERR_ORDER, FailureOf([&] { return OfVector<Solve>(f.mat, A, first); }).code);
  Ok(f.factor(A));
  Ok(OfVector<MatGetDiagonal>(f.mat, A, first));
  Ok(MatScale(A, 2));
  Ok(f.factor(A));
  Ok(MatScale(A, 5));
  A = Owned<Mat>();
  Ok(OfVector<MatGetDiagonal>(f.mat, A, second));
  for (PetscScalar &number : first) number *= 2;
  ExpectSame(first, second);
}

TEST_P(FactoredMatrix, IsComparedWithAnother)
{
  const Owned<Mat> A = stencil(root());
  Factored         one(A, MAT_FACTOR_ICC), same(A, MAT_FACTOR_ICC), other(A, MAT_FACTOR_ICC);
  PetscBool        equal;
  Ok(one.factor(A));
  Ok(same.factor(A));
  Ok(MatEqual(one.mat, same.mat, &equal));
  EXPECT_TRUE(equal);
  Ok(MatShift(A, 1));
  Ok(other.factor(A));
  Ok(MatEqual(one.mat, other.mat, &equal));
  EXPECT_FALSE(equal);
}

} // namespace
} // namespace petscspmv::test
