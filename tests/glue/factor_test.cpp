// ILU(k), ICC(k) and what uses them by our factors (-mat_spmv_sweeps exact). Where there is a device, matrix and
// vectors are there.

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "glue/door/enter.hpp"
#include "glue/shadow.hpp"
#include "glue/support/compare.hpp"
#include "glue/support/factored.hpp"
#include "petscspmv.h"

namespace petscspmv::test {
namespace {

PetscErrorCode nothing(Mat)
{
  return PETSC_SUCCESS;
}

class FactorTest : public FactoredTest { };
INSTANTIATE_TEST_SUITE_P(Types, FactorTest, EachType(), TypeName);

TEST_P(FactorTest, SolveAsThoseOfAij)
{
  const Owned<Mat> A = stencil(root()), reference = stencil(MATAIJ);
  struct Case {
    MatFactorType type;
    PetscReal     levels;
    const char   *order;
  };
  for (const auto &[type, levels, order] :
       {Case{MAT_FACTOR_ILU, 0, MATORDERINGNATURAL}, Case{MAT_FACTOR_ICC, 0, MATORDERINGNATURAL},
        Case{MAT_FACTOR_ILU, 2, MATORDERINGNATURAL}, Case{MAT_FACTOR_ICC, 1, MATORDERINGNATURAL}, Case{MAT_FACTOR_ILU, 0, MATORDERINGRCM},
        Case{MAT_FACTOR_ICC, 0, MATORDERINGRCM}, Case{MAT_FACTOR_ILU, 1, MATORDERINGSPMVBLOCKS},
        Case{MAT_FACTOR_ICC, 0, MATORDERINGSPMVBLOCKS}}) {
    SCOPED_TRACE(std::string(order) + " " + std::to_string(levels));
    Factored ours(A, type, order, levels), theirs(reference, type, order, levels);
    for (const PetscScalar factor : {1., 3.}) { // new values
      for (Mat mat : {(Mat)A, (Mat)reference}) Ok(MatScale(mat, factor));
      Ok(ours.factor(A));
      Ok(theirs.factor(reference));
      EXPECT_TRUE(is_ours(ours.mat));
      ExpectNearVectors(solved(ours, A, MatSolve), solved(theirs, reference, MatSolve), "MatSolve");
      ExpectNearVectors(solved(ours, A, MatSolveTranspose), solved(theirs, reference, MatSolveTranspose), "MatSolveTranspose");
      const Solver add = [](Mat F, Vec b, Vec x) { return MatSolveAdd(F, b, b, x); };
      ExpectNearVectors(solved(ours, A, add), solved(theirs, reference, add), "MatSolveAdd");
      if (type != MAT_FACTOR_ICC || order != std::string(MATORDERINGNATURAL)) continue;
      ExpectNearVectors(solved(ours, A, MatForwardSolve), solved(theirs, reference, MatForwardSolve), "MatForwardSolve");
      ExpectNearVectors(solved(ours, A, MatBackwardSolve), solved(theirs, reference, MatBackwardSolve), "MatBackwardSolve");
    }
    MatInfo mine, other;
    Ok(MatGetInfo(ours.mat, MAT_LOCAL, &mine));
    Ok(MatGetInfo(theirs.mat, MAT_LOCAL, &other));
    EXPECT_EQ(other.nz_used, mine.nz_used);
    EXPECT_EQ(other.fill_ratio_needed, mine.fill_ratio_needed);
  }
}

// Without a fill of their own. New values change nothing about it, and neither does who comes first.
TEST_P(FactorTest, ShareWhatIsAnalysedWithSweeps)
{
  for (const bool sweeps_first : {false, true}) {
    const Owned<Mat> A = stencil(root());
    Owned<Vec>       b, x;
    const auto       analysed = [&A] {
      shadow::Entry e;
      Ok(shadow::Find(A, &e));
      return e.own->analysed;
    };
    const auto sweep = [&] { Ok(MatSOR(A, b, 1, (MatSORType)(SOR_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS), 0, 1, 1, x)); };
    Ok(MatCreateVecs(A, x.out(), b.out()));
    if (sweeps_first) sweep();
    else EXPECT_TRUE(is_ours(Factored(A, MAT_FACTOR_ILU).mat));
    const auto first = analysed();
    ASSERT_TRUE(first);
    Ok(MatScale(A, 2));
    for (const MatFactorType type : {MAT_FACTOR_ILU, MAT_FACTOR_ICC}) EXPECT_TRUE(is_ours(Factored(A, type).mat));
    sweep();
    EXPECT_EQ(first, analysed());
    Ok(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    Ok(MatSetValue(A, 0, 11, 0, INSERT_VALUES)); // another pattern
    Ok(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    Ok(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    sweep();
    EXPECT_NE(first, analysed());
  }
}

// ICC reads the upper triangle of a matrix that is not symmetric. ILU transposed is another matrix.
TEST_P(FactorTest, AreThoseOfAijForAMatrixThatIsNotSymmetric)
{
  const auto make = [](const std::string &type) {
    return MakeByRows(
      type, 40, 4,
      [](Mat mat, PetscInt row) {
        Ok(MatSetValue(mat, row, row, 9, INSERT_VALUES));
        if (row + 3 < 40) Ok(MatSetValue(mat, row, row + 3, -1, INSERT_VALUES));
        if (row % 3 == 1) Ok(MatSetValue(mat, row, row - 1, 2, INSERT_VALUES));
        if (row > 20) Ok(MatSetValue(mat, row, row - 20, 3, INSERT_VALUES));
      },
      PETSC_COMM_SELF);
  };
  const Owned<Mat> A = make(root()), reference = make(MATAIJ);
  for (const MatFactorType type : {MAT_FACTOR_ILU, MAT_FACTOR_ICC}) {
    Factored ours(A, type), theirs(reference, type);
    Ok(ours.factor(A));
    Ok(theirs.factor(reference));
    ASSERT_TRUE(is_ours(ours.mat));
    for (const Solver solve : {MatSolve, MatSolveTranspose})
      ExpectNearVectors(solved(ours, A, solve), solved(theirs, reference, solve), solve == MatSolve ? "MatSolve" : "MatSolveTranspose");
  }
}

TEST_P(FactorTest, SolveForSeveralRightHandSides)
{
  const Owned<Mat> A = stencil(root()), reference = stencil(MATAIJ), B = MakeDense(reference, true, 3, 5);
  Owned<Mat>       X, expected;
  Factored         ours(A, MAT_FACTOR_ILU), theirs(reference, MAT_FACTOR_ILU);
  PetscReal        norm;
  Ok(ours.factor(A));
  Ok(theirs.factor(reference));
  Ok(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, X.out()));
  Ok(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, expected.out()));
  Ok(MatMatSolve(ours.mat, B, X));
  Ok(MatMatSolve(theirs.mat, B, expected));
  Ok(MatAXPY(X, -1, expected, SAME_NONZERO_PATTERN));
  Ok(MatNorm(X, NORM_INFINITY, &norm));
  EXPECT_LE(norm, 1e-12);
  Ok(MatNorm(expected, NORM_INFINITY, &norm));
  EXPECT_GT(norm, 0.1);
}

TEST_P(FactorTest, SolversNeedAsManyIterationsAsWithAij)
{
  const auto iterations = [](const std::string &type, PCType preconditioner, const char *block, KSPType method) {
    const OptionGuard sub("-sub_pc_type", block);
    return Solve(Stencil(type, 30), preconditioner, method).iterations;
  };
  struct Case {
    PCType      preconditioner;
    const char *block;
    KSPType     method;
  };
  for (const Case &c : {Case{PCILU, "ilu", KSPBCGS}, Case{PCICC, "ilu", KSPCG}, Case{PCBJACOBI, "ilu", KSPBCGS},
                        Case{PCBJACOBI, "icc", KSPCG}, Case{PCASM, "ilu", KSPBCGS}}) {
    if (Ranks() > 1 && (c.preconditioner == std::string(PCILU) || c.preconditioner == std::string(PCICC))) continue;
    const int before = EventInfo("MatSpMVSweeps").count;
    EXPECT_EQ(iterations(MATAIJ, c.preconditioner, c.block, c.method), iterations(root(), c.preconditioner, c.block, c.method));
    EXPECT_EQ(2, EventInfo("MatSpMVSweeps").count - before) << c.preconditioner << ": an analysis and a factor";
  }
}

TEST_P(FactorTest, ArePetscsOwnWhereTheyCannotBeOurs)
{
  const Owned<Mat> A = stencil(root()), reference = stencil(MATAIJ);
  Factored         ours(A, MAT_FACTOR_ILU, MATORDERINGNATURAL, 1, true), theirs(reference, MAT_FACTOR_ILU, MATORDERINGNATURAL, 1, true);
  Ok(ours.factor(A));
  Ok(theirs.factor(reference));
  EXPECT_FALSE(is_ours(ours.mat));
  ExpectNearVectors(solved(ours, A, MatSolve), solved(theirs, reference, MatSolve), "with fill on the diagonal");
}

TEST_P(FactorTest, AreMadeInTheOrdersOfPetsc)
{
  const Owned<Mat> A = stencil(root()), reference = stencil(MATAIJ);
  Ok(MatSetUp(A)); // options are known
  for (const char *order : {MATORDERINGNATURAL, MATORDERINGRCM, MATORDERINGNATURAL}) {
    Owned<IS> ours[2], theirs[2];
    Ok(MatGetOrdering(A, order, ours[0].out(), ours[1].out()));
    Ok(MatGetOrdering(reference, order, theirs[0].out(), theirs[1].out()));
    for (const int k : {0, 1}) {
      PetscBool same, natural, permutes;
      Ok(ISEqualUnsorted(ours[k], theirs[k], &same));
      Ok(ISIdentity(ours[k], &natural));
      Ok(ISPermutation(ours[k], &permutes));
      EXPECT_TRUE(same) << order;
      EXPECT_EQ(order == std::string(MATORDERINGNATURAL), natural);
      EXPECT_TRUE(permutes);
    }
  }
}

// A permutation has the same numbers as any other one of as many rows.
TEST_P(FactorTest, ArePetscsOwnIfColumnsHaveAnotherOrder)
{
  const Owned<Mat> A = stencil(root()), reference = stencil(MATAIJ);
  PetscInt         rows;
  Owned<Vec>       x[2];
  Ok(MatGetSize(A, &rows, NULL));
  std::vector<PetscInt> order(rows);
  std::iota(order.begin(), order.end(), 0);
  for (const auto &[mat, solution] : {std::pair((Mat)A, &x[0]), std::pair((Mat)reference, &x[1])}) {
    Factored  factored(mat, MAT_FACTOR_ILU);
    Owned<IS> swapped;
    std::swap(order[0], order[1]);
    Ok(ISCreateGeneral(PETSC_COMM_SELF, rows, order.data(), PETSC_COPY_VALUES, swapped.out()));
    std::swap(order[0], order[1]);
    Ok(ISSetPermutation(swapped));
    Owned<Mat> F;
    Ok(MatGetFactor(mat, NULL, MAT_FACTOR_ILU, F.out()));
    Ok(MatILUFactorSymbolic(F, mat, factored.row, swapped, &factored.info));
    std::swap(factored.mat, F);
    Ok(factored.factor(mat));
    EXPECT_FALSE(is_ours(factored.mat));
    *solution = solved(factored, mat, MatSolve);
  }
  ExpectNearVectors(x[0], x[1], "with two columns swapped");
}

// And in the program's order, where it has one.
TEST_P(FactorTest, AreInTheOrderOfColouredBlocksIfThatIsWanted)
{
  const OptionGuard blocks("-mat_spmv_sweeps", "blocks");
  const Owned<Mat>  A = stencil(root()), reference = stencil(MATAIJ);
  for (const auto &[asked, order] : {std::pair(MATORDERINGNATURAL, MATORDERINGSPMVBLOCKS), {MATORDERINGRCM, MATORDERINGRCM}}) {
    Factored ours(A, MAT_FACTOR_ILU, asked), theirs(reference, MAT_FACTOR_ILU, order);
    Ok(ours.factor(A));
    Ok(theirs.factor(reference));
    EXPECT_TRUE(is_ours(ours.mat));
    const bool told = Viewed(ours.mat, PETSC_VIEWER_ASCII_INFO).find("; order: coloured blocks (") != std::string::npos;
    EXPECT_EQ(asked == std::string(MATORDERINGNATURAL), told);
    ExpectNearVectors(solved(ours, A, MatSolve), solved(theirs, reference, MatSolve), order);
  }
}

// The functions of a device type would outlive what its destructor takes away.
TEST_P(FactorTest, TakeNoFunctionsOfTheMatrix)
{
  constexpr char   name[] = "Anything_C";
  const Owned<Mat> A      = with_zero_pivot(root());
  Ok(PetscObjectComposeFunction((PetscObject)(Mat)A, name, nothing));
  for (const bool diagonal_fill : {false, true}) { // what we cannot factor, and what we never do
    PetscErrorCode (*found)(Mat) = nullptr;
    Factored factored(A, MAT_FACTOR_ILU, MATORDERINGNATURAL, 0, diagonal_fill);
    factored.shift_pivots(MAT_SHIFT_NONZERO);
    Ok(factored.factor(A));
    EXPECT_FALSE(is_ours(factored.mat));
    Ok(PetscObjectQueryFunction((PetscObject)(Mat)factored.mat, name, &found));
    EXPECT_EQ(nullptr, found) << diagonal_fill;
  }
}

TEST_P(FactorTest, ShiftPivotsAsThoseOfAij)
{
  const Owned<Mat> A = with_zero_pivot(root()), reference = with_zero_pivot(MATAIJ);
  for (const MatFactorType type : {MAT_FACTOR_ILU, MAT_FACTOR_ICC})
    for (const MatFactorShiftType shift : {MAT_SHIFT_NONZERO, MAT_SHIFT_POSITIVE_DEFINITE, MAT_SHIFT_INBLOCKS, MAT_SHIFT_NONE}) {
      Factored       ours(A, type), theirs(reference, type);
      MatFactorError error[2];
      Mat            mats[] = {A, reference};
      Factored      *both[] = {&ours, &theirs};
      for (int k : {0, 1}) {
        both[k]->shift_pivots(shift);
        Ok(both[k]->factor(mats[k]));
        Ok(MatFactorGetError(both[k]->mat, &error[k]));
      }
      EXPECT_EQ(error[1], error[0]) << shift;
      EXPECT_EQ(shift == MAT_SHIFT_NONE, error[0] == MAT_FACTOR_NUMERIC_ZEROPIVOT) << shift;
      EXPECT_FALSE(is_ours(ours.mat));
      if (error[0]) continue;
      ExpectNearVectors(solved(ours, A, MatSolve), solved(theirs, reference, MatSolve), std::to_string(shift));
    }
}

TEST_P(FactorTest, AreAPackage)
{
  const OptionGuard none("-mat_spmv_sweeps", "none");
  const Owned<Mat>  A = stencil(root()), reference = stencil(MATAIJ);
  for (const MatFactorType type : {MAT_FACTOR_ILU, MAT_FACTOR_ICC}) {
    Factored      ours(A, type, MATORDERINGNATURAL, 0, false, MATSOLVERSPMV), theirs(reference, type);
    MatSolverType package;
    Ok(ours.factor(A));
    Ok(theirs.factor(reference));
    EXPECT_TRUE(is_ours(ours.mat));
    Ok(MatFactorGetSolverType(ours.mat, &package));
    EXPECT_STREQ(MATSOLVERSPMV, package);
    ExpectNearVectors(solved(ours, A, MatSolve), solved(theirs, reference, MatSolve), "MatSolve");
    Owned<Mat>    none_;
    const Failure refused = FailureOf([&] { return MatGetFactor(reference, MATSOLVERSPMV, type, none_.out()); });
    EXPECT_EQ(PETSC_ERR_SUP, refused.code);
    EXPECT_NE(std::string::npos, refused.message.find("give this one a method by -mat_spmv")) << refused.message;
  }
}

// PETSc creates the factored matrix as it creates others, and so it is attached, too.
TEST_P(FactorTest, OfAttachedMatricesAreOurs)
{
  const Owned<Mat>  reference = stencil(MATAIJ);
  const OptionGuard method("-mat_spmv", root());
  const Owned<Mat>  A = stencil(MATAIJ);
  for (const bool ours : {true, false}) {
    Factored mine(A, MAT_FACTOR_ILU, MATORDERINGNATURAL, 1, !ours), theirs(reference, MAT_FACTOR_ILU, MATORDERINGNATURAL, 1, !ours);
    Ok(mine.factor(A));
    Ok(theirs.factor(reference));
    EXPECT_EQ(ours, is_ours(mine.mat));
    ExpectNearVectors(solved(mine, A, MatSolve), solved(theirs, reference, MatSolve), ours ? "ours" : "PETSc's");
  }
}

// PETSc's functions raise an error, too.
TEST_P(FactorTest, HalvesOfFactorsThatHaveNoRootAreAnError)
{
  const auto make = [](const std::string &type) {
    return MakeByRows(
      type, 30, 1, [](Mat mat, PetscInt row) { Ok(MatSetValue(mat, row, row, row == 7 ? -4 : 4, INSERT_VALUES)); }, PETSC_COMM_SELF);
  };
  for (const std::string &type : {root(), std::string(MATAIJ)})
    for (const char *order : {MATORDERINGNATURAL, MATORDERINGRCM}) {
      const LeakForgiver of_petsc(type == MATAIJ);
      const Owned<Mat>   A = make(type);
      Factored           f(A, MAT_FACTOR_ICC, order);
      Owned<Vec>         x, b;
      Ok(f.factor(A));
      Ok(MatCreateVecs(A, x.out(), b.out()));
      Ok(MatSolve(f.mat, b, x));
      for (const Solver solve : {MatForwardSolve, MatBackwardSolve}) {
        const Failure failure = FailureOf([&] { return solve(f.mat, b, x); });
        EXPECT_EQ(PETSC_ERR_SUP, failure.code) << type;
        if (type == MATAIJ) continue;
        EXPECT_TRUE(is_ours(f.mat));
        ExpectContains(failure.message, "on the diagonal of row 7,");
        ExpectContains(failure.message, "-ksp_pc_side symmetric");
      }
    }
}

// The first time that a program reads its options again, PETSc asks the factored matrix for its package.
TEST_P(FactorTest, StayInThePackageThatWasNamed)
{
  const std::string prefix = Ranks() > 1 ? "-sub_" : "-";
  const OptionGuard type(prefix + "pc_type", "ilu"), package(prefix + "pc_factor_mat_solver_type", MATSOLVERSPMV),
    fill(prefix + "pc_factor_diagonal_fill");
  const Owned<Mat> A      = Stencil(root(), 12);
  const Owned<KSP> solver = MakeSolver(A, Ranks() > 1 ? PCBJACOBI : PCILU);
  if (Ranks() > 1 && LivesOnDevice(root())) GTEST_SKIP() << "a block of a type on a device has the method that -mat_spmv names";
  KSP *blocks;
  PC   pc;
  Mat  F;
  for (int again = 0; again < 2; ++again) {
    Ok(KSPSetFromOptions(solver));
    Ok(KSPSetUp(solver));
    Ok(KSPSetUpOnBlocks(solver));
  }
  Ok(KSPGetPC(solver, &pc));
  if (Ranks() > 1) {
    Ok(PCBJacobiGetSubKSP(pc, NULL, NULL, &blocks));
    Ok(KSPSetFromOptions(blocks[0]));
    Ok(KSPGetPC(blocks[0], &pc));
  }
  Ok(PCFactorGetMatrix(pc, &F));
  const std::string text = Viewed(F, PETSC_VIEWER_ASCII_INFO);
  if (Rank() > 0) return;
  ExpectContains(text, "package used to perform factorization: spmv\n");
  ExpectContains(text, "petscspmv: factors are PETSc's own, on the host: ");
  ExpectContains(text, "-pc_factor_diagonal_fill");
}

TEST_P(FactorTest, AreSeen)
{
  const Owned<Mat> A = stencil(root());
  for (const bool named : {false, true}) {
    Factored f(A, MAT_FACTOR_ILU, MATORDERINGNATURAL, 0, false, named ? MATSOLVERSPMV : NULL);
    Ok(f.factor(A));
    std::string text = Viewed(f.mat, PETSC_VIEWER_ASCII_INFO);
    text             = text.substr(0, text.find('\n', text.find("petscspmv: ")));
    MatSolverType package;
    Ok(MatFactorGetSolverType(f.mat, &package));
    ExpectContains(text, "package used to perform factorization: " + std::string(package) + "\n");
    const std::string in_place = named ? "" : ", in the place of " + std::string(package) + "'s";
    ExpectContains(text, "petscspmv: factors are ours" + in_place + ", of ");
    ExpectContains(text, " bytes; solves by: ");
  }
}

TEST_P(FactorTest, LogAsManyOperationsAsThoseOfAij)
{
  using Flops         = std::vector<PetscLogDouble>;
  const auto of_calls = [](const std::string &type, MatFactorType factor, PetscReal levels) {
    const Owned<Mat> A = stencil(type);
    Factored         f(A, factor, MATORDERINGRCM, levels); // which AIJ has no inodes in
    Flops            flops;
    const auto       add = [&](const auto &call) {
      PetscLogDouble before, after;
      Ok(PetscGetFlops(&before));
      call();
      Ok(PetscGetFlops(&after));
      flops.push_back(after - before);
    };
    add([&] { Ok(f.factor(A)); });
    for (const Solver solve : {MatSolve, MatSolveTranspose}) add([&] { (void)solved(f, A, solve); });
    if (factor == MAT_FACTOR_ICC) add([&] { (void)solved(f, A, MatForwardSolve); });
    return flops;
  };
  for (const MatFactorType factor : {MAT_FACTOR_ILU, MAT_FACTOR_ICC})
    for (const PetscReal levels : {0, 2}) {
      const Flops ours = of_calls(root(), factor, levels);
      EXPECT_EQ(of_calls(MATAIJ, factor, levels), ours) << MatFactorTypes[factor] << levels;
      EXPECT_EQ(0, std::count(ours.begin(), ours.end(), 0));
    }
}

// The ordering by coloured blocks is one for PETSc's own factors, too.
TEST(Ordering, ByColouredBlocksTakesFewIterationsMore)
{
  const Owned<Mat> A          = Stencil(MATAIJ, 60);
  const auto       iterations = [&A](PCType preconditioner, KSPType method, const char *order) {
    const OptionGuard own("-pc_factor_mat_ordering_type", order), sub("-sub_pc_factor_mat_ordering_type", order);
    return Solve(A, preconditioner, method, 1e-10).iterations;
  };
  for (const auto &[preconditioner, method] : {std::pair(PCILU, KSPBCGS), {PCICC, KSPCG}, {PCBJACOBI, KSPBCGS}}) {
    if (Ranks() > 1 && preconditioner != std::string(PCBJACOBI)) continue;
    const PetscInt natural = iterations(preconditioner, method, MATORDERINGNATURAL);
    EXPECT_LE(iterations(preconditioner, method, MATORDERINGSPMVBLOCKS), natural + 1 + natural * 15 / 100) << preconditioner;
  }
}

TEST(Ordering, ByColouredBlocksTakesAijAlone)
{
  Owned<Mat> A = Stencil(MATAIJ, 4, PETSC_COMM_SELF);
  Owned<IS>  row, col;
  Ok(MatConvert(A, MATSEQBAIJ, MAT_INPLACE_MATRIX, A.inout()));
  const Failure refused = FailureOf([&] { return MatGetOrdering(A, MATORDERINGSPMVBLOCKS, row.out(), col.out()); });
  EXPECT_EQ(PETSC_ERR_SUP, refused.code);
  EXPECT_NE(std::string::npos, refused.message.find("takes sequential AIJ matrices, and this one is a seqbaij")) << refused.message;
}

TEST_P(FactorTest, ArePetscsOwnUnlessTheyAreWanted)
{
  const OptionGuard none("-mat_spmv_sweeps", "none");
  const Owned<Mat>  A = stencil(root());
  Factored          factored(A, MAT_FACTOR_ILU);
  Ok(factored.factor(A));
  EXPECT_EQ(std::string::npos, Viewed(factored.mat, PETSC_VIEWER_ASCII_INFO).find("petscspmv: factors"));
}

} // namespace
} // namespace petscspmv::test
