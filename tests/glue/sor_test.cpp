// MatSOR, and what uses it, by our sweeps (-mat_spmv_sweeps exact), as PETSc does it for a matrix without inodes, which
// a five-point stencil is. Where there is a device, matrix and vectors are there.

#include "glue/door/attach.hpp"
#include "glue/ops/sor.hpp"
#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"
#include "petscspmv.h"

namespace petscspmv::test {
namespace {

using shadow::VoidFn;

class SorTest : public TypeTest {
protected:
  static Owned<Vec> swept(Mat A, PetscReal omega, int flag, PetscReal shift, PetscInt its, PetscInt lits)
  {
    Owned<Vec> b, x;
    Ok(MatCreateVecs(A, x.out(), b.out()));
    SetSmallIntegers(b, 3);
    SetSmallIntegers(x, 4);
    Ok(MatSOR(A, b, omega, (MatSORType)flag, shift, its, lits, x));
    return x;
  }

  static VoidFn sor_of(Mat A)
  {
    Mat    parts[2];
    VoidFn function;
    Ok(shadow::GetParts(A, parts));
    Ok(MatGetOperation(parts[0], MATOP_SOR, &function));
    return function;
  }
  static bool is_ours(Mat A) { return sor_of(A) == (VoidFn)shadow::MatSOR_SeqShadow; }

  /// Of the block that is swept.
  static std::string seen(Mat A)
  {
    Mat parts[2];
    Ok(shadow::GetParts(A, parts));
    return Viewed(parts[0], PETSC_VIEWER_ASCII_INFO);
  }

  static int sweeps_made(const std::function<void()> &work)
  {
    const int before = EventInfo("MatSpMVSweeps").count;
    work();
    return EventInfo("MatSpMVSweeps").count - before;
  }

  const OptionGuard exact_{"-mat_spmv_sweeps", "exact"};
};
INSTANTIATE_TEST_SUITE_P(Types, SorTest, EachType(), TypeName);

TEST_P(SorTest, AreThoseOfAij)
{
  const Owned<Mat> A = Stencil(root(), 12), reference = Stencil(MATAIJ, 12);
  MultiplyOnce(A);
  ASSERT_TRUE(is_ours(A));
  for (const int sweep : {SOR_LOCAL_FORWARD_SWEEP, SOR_LOCAL_BACKWARD_SWEEP, SOR_LOCAL_SYMMETRIC_SWEEP})
    for (const int zero : {0, (int)SOR_ZERO_INITIAL_GUESS})
      for (const auto &[omega, shift] : {std::pair(1.0, 0.0), {1.0, -0.5}, {1.0, 0.5}, {1.4, -0.25}, {0.8, 0.0}})
        for (const auto &[its, lits] : {std::pair(1, 1), {2, 1}, {1, 3}, {2, 2}})
          ExpectNearVectors(swept(A, omega, sweep | zero, shift, its, lits), swept(reference, omega, sweep | zero, shift, its, lits),
                            std::to_string(sweep | zero) + ", omega " + std::to_string(omega) + ", shift " + std::to_string(shift) + ", " +
                              std::to_string(its) + " x " + std::to_string(lits));
}

TEST_P(SorTest, EisenstatsTrickIsThatOfAij)
{
  const Owned<Mat> A = Stencil(root(), 12, PETSC_COMM_SELF), reference = Stencil(MATAIJ, 12, PETSC_COMM_SELF);
  MultiplyOnce(A);
  const auto with_flops = [](Mat mat, PetscReal omega, int flag, PetscReal shift) {
    (void)swept(mat, omega, flag, shift, 1, 1); // the first time, AIJ inverts the diagonal
    const PetscLogDouble before = EventInfo("MatSOR").flops;
    auto                 x      = swept(mat, omega, flag, shift, 1, 1);
    return std::pair(std::move(x), EventInfo("MatSOR").flops - before);
  };
  const auto compare = [&] {
    for (const int flag : {(int)SOR_EISENSTAT, (int)SOR_APPLY_UPPER})
      for (const auto &[omega, shift] : {std::pair(1.0, 0.0), {1.4, 0.0}, {0.8, 0.5}, {1.0, -0.5}}) {
        const auto ours = with_flops(A, omega, flag, shift), theirs = with_flops(reference, omega, flag, shift);
        ExpectNearVectors(ours.first, theirs.first,
                          std::to_string(flag) + ", omega " + std::to_string(omega) + ", shift " + std::to_string(shift));
        EXPECT_EQ(theirs.second, ours.second) << flag;
      }
  };
  EXPECT_EQ(1, sweeps_made(compare));
}

TEST_P(SorTest, FollowTheMatrix)
{
  const int        flag = SOR_LOCAL_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS;
  const Owned<Mat> A = Stencil(root(), 12), reference = Stencil(MATAIJ, 12);
  const auto       expect_equal = [&](const char *when) {
    ExpectNearVectors(swept(A, 1.2, flag, 0, 1, 1), swept(reference, 1.2, flag, 0, 1, 1), when);
  };
  MultiplyOnce(A);
  EXPECT_EQ(1, sweeps_made([&] { expect_equal("first"); }));
  EXPECT_EQ(0, sweeps_made([&] { expect_equal("again"); }));
  for (Mat mat : {(Mat)A, (Mat)reference}) Ok(MatScale(mat, 2));
  EXPECT_EQ(1, sweeps_made([&] { expect_equal("new values"); }));
  for (Mat mat : {(Mat)A, (Mat)reference}) {
    PetscInt begin, end;
    Ok(MatGetOwnershipRange(mat, &begin, &end));
    Ok(MatSetOption(mat, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    Ok(MatSetValue(mat, begin, begin + (end - begin) / 2, 0.5, ADD_VALUES));
    Assemble(mat);
  }
  EXPECT_EQ(1, sweeps_made([&] { expect_equal("a new pattern"); }));
}

// As PETSc's on a matrix with its rows and columns in this order.
TEST_P(SorTest, GoThroughColouredBlocksIfTheyAreWanted)
{
  const int        flag = SOR_LOCAL_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS;
  const Owned<Mat> A = Stencil(root(), 20, PETSC_COMM_SELF), reference = Stencil(MATAIJ, 20, PETSC_COMM_SELF);
  Owned<Mat>       permuted;
  Owned<IS>        row, col;
  Owned<Vec>       b, x;
  Ok(MatGetOrdering(reference, MATORDERINGSPMVBLOCKS, row.out(), col.out()));
  Ok(MatPermute(reference, row, col, permuted.out()));
  Ok(MatCreateVecs(reference, x.out(), b.out()));
  SetSmallIntegers(b, 3);
  Ok(VecPermute(b, row, PETSC_FALSE));
  Ok(MatSOR(permuted, b, 1.2, (MatSORType)flag, 0, 2, 1, x));
  Ok(VecPermute(x, row, PETSC_TRUE));

  MultiplyOnce(A);
  EXPECT_EQ(1, sweeps_made([&] { swept(A, 1.2, flag, 0, 2, 1); }));
  Ok(MatSpMVSetOption(A, "sweeps", 3));
  EXPECT_EQ(1, sweeps_made([&] { ExpectNearVectors(swept(A, 1.2, flag, 0, 2, 1), x, "by blocks"); }));
  const std::string text = seen(A);
  EXPECT_NE(std::string::npos, text.find("order of sweeps: coloured blocks (")) << text;
  Ok(MatScale(A, 2)); // and b are halves of x
  Ok(VecScale(x, 0.5));
  ExpectNearVectors(swept(A, 1.2, flag, 0, 2, 1), x, "new values");
}

TEST_P(SorTest, SolversNeedAsManyIterationsAsWithAij)
{
  const auto iterations = [](const std::string &type, PCType preconditioner) {
    const Owned<Mat> A = Stencil(type, 30);
    MultiplyOnce(A);
    return Solve(A, preconditioner, KSPCG).iterations;
  };
  const OptionGuard smoother("-mg_levels_pc_type", "sor");
  for (PCType preconditioner : {PCSOR, PCGAMG, PCEISENSTAT}) {
    if (Ranks() > 1 && preconditioner == std::string(PCEISENSTAT)) continue; // some versions of PETSc fail with aij
    const PetscInt right = iterations(MATAIJ, preconditioner);
    EXPECT_EQ(right, iterations(root(), preconditioner));
    const OptionGuard blocks("-mat_spmv_sweeps", "blocks");
    EXPECT_LE(iterations(root(), preconditioner), right + 1 + right * 15 / 100);
  }
}

TEST_P(SorTest, AreOursBeforeTheFirstProduct)
{
  const Owned<Mat> A = Stencil(root(), 12), reference = Stencil(MATAIJ, 12);
  const int        flag = SOR_LOCAL_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS;
  EXPECT_EQ(1, sweeps_made([&] { ExpectNearVectors(swept(A, 1.2, flag, 0, 1, 1), swept(reference, 1.2, flag, 0, 1, 1), "first of all"); }));
}

TEST_P(SorTest, AreSeen)
{
  const Owned<Mat> A = Stencil(root(), 12);
  MultiplyOnce(A);
  swept(A, 1, SOR_LOCAL_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS, 0, 1, 1);
  const std::string text = seen(A);
  if (Rank() > 0) return;
  for (const char *part : {"levels of sweeps: ", "bytes of sweeps: "}) EXPECT_NE(std::string::npos, text.find(part)) << text;
}

TEST_P(SorTest, ArePetscsOwnWhereTheyCannotBeOurs)
{
  // A zero on each rank: with a PETSc that has checks, those without an error would wait for the others in its event.
  Owned<Mat> A    = MakeByRows(root(), 12, 2, [](Mat mat, PetscInt row) {
    PetscInt end;
    Ok(MatGetOwnershipRange(mat, NULL, &end));
    Ok(MatSetValue(mat, row, row, row == end - 1 ? 0 : 2, INSERT_VALUES));
    if (row % 2) Ok(MatSetValue(mat, row, row - 1, 1, INSERT_VALUES));
  });
  const int  flag = SOR_LOCAL_FORWARD_SWEEP | SOR_ZERO_INITIAL_GUESS;
  MultiplyOnce(A);
  swept(A, 1.5, flag, 1, 1, 1); // a shift makes up for the zero
  const Failure zero = FailureOf([&] {
    Owned<Vec> b, x;
    Ok(MatCreateVecs(A, x.out(), b.out()));
    return MatSOR(A, b, 1, (MatSORType)flag, 0, 1, 1, x);
  });
  EXPECT_NE(std::string::npos, zero.message.find("Zero diagonal on row")) << zero.message;
  A = MakeByRows(root(), 12, 2, [](Mat mat, PetscInt row) { Ok(MatSetValue(mat, row, row % 4 == 2 ? row - 1 : row, 2, INSERT_VALUES)); });
  MultiplyOnce(A);
  FailureOf([&] { // some versions of PETSc say what is missing, others take what is in its place
    Owned<Vec> b, x;
    Ok(MatCreateVecs(A, x.out(), b.out()));
    return MatSOR(A, b, 1, (MatSORType)flag, 0, 1, 1, x);
  });
  const std::string text = seen(A);
  if (Rank() == 0) {
    EXPECT_NE(std::string::npos, text.find("sweeps are PETSc's own, on the host: Sweeps need all entries of the diagonal")) << text;
  }
}

TEST_P(SorTest, ArePetscsOwnUnlessTheyAreWanted)
{
  const VoidFn petscs = sor_of(Stencil(MATAIJ, 12));
  Owned<Mat>   A      = Stencil(root(), 12);
  MultiplyOnce(A);
  EXPECT_TRUE(is_ours(A));
  if (!LivesOnDevice(root())) { // there the matrix stays attached
    Ok(MatConvert(A, MATAIJ, MAT_INPLACE_MATRIX, A.inout()));
    EXPECT_EQ(petscs, sor_of(A)) << "plain AIJ again";
  }
  const OptionGuard none("-mat_spmv_sweeps", "none");
  A = Stencil(root(), 12);
  MultiplyOnce(A);
  EXPECT_EQ(petscs, sor_of(A));
  EXPECT_EQ(0, sweeps_made([&] { swept(A, 1, SOR_LOCAL_SYMMETRIC_SWEEP, 0, 1, 1); }));
}

} // namespace
} // namespace petscspmv::test
