/// Matrices that are left to AIJ because they are tiny: which, until when, and that nothing but the time of a product
/// tells.

#include "glue/support/compare.hpp"
#include "glue/support/head_starts.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"

using namespace petscspmv;
using namespace petscspmv::test;

namespace {

class Tiny : public TypeTest {
protected:
  HeadStarts allowed;
};

bool MultipliesByAij(Mat A)
{
  const Owned<Mat> aij = Sized(MATAIJ, 1, 1, PetscObjectComm((PetscObject)A));
  shadow::VoidFn   ours, theirs;
  Ok(MatGetOperation(A, MATOP_MULT, &ours));
  Ok(MatGetOperation(aij, MATOP_MULT, &theirs));
  return ours == theirs;
}

PetscInt EntriesOf(Mat A)
{
  MatInfo info;
  Ok(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  return (PetscInt)info.nz_used;
}

TEST_P(Tiny, IsMultipliedByAijUpToTheLimit)
{
  const Owned<Mat>  reference = MakeSample(kSquare, MATAIJ, PETSC_COMM_SELF);
  const OptionGuard at_once("-mat_aijauto_when", "first");
  for (const PetscInt entries : {EntriesOf(reference), EntriesOf(reference) - 1, PetscInt(0)}) {
    const OptionGuard limit("-mat_spmv_tiny", std::to_string(entries));
    const Owned<Mat>  A    = MakeSample(kSquare, seq(), PETSC_COMM_SELF);
    const bool        tiny = entries == EntriesOf(reference);
    ExpectSameProducts(A, reference);
    EXPECT_EQ(MultipliesByAij(A), tiny);
    EXPECT_EQ(CountsOf(A).builds, tiny ? 0 : 1);
  }
}

TEST_P(Tiny, FollowsNewValues)
{
  const Owned<Mat> A = MakeSample(kSquare, seq(), PETSC_COMM_SELF), reference = MakeSample(kSquare.with_seed(7), MATAIJ, PETSC_COMM_SELF);
  MultiplyOnce(A);
  SetSampleValues(A, kSquare.with_seed(7));
  EXPECT_TRUE(MultipliesByAij(A));
  ExpectSameProducts(A, reference);
}

// A pattern that grows past the limit, and one that comes back.
TEST_P(Tiny, IsJudgedAnewAfterEachAssembly)
{
  const Owned<Mat>  reference = MakeSample(kSquare, MATAIJ, PETSC_COMM_SELF);
  const OptionGuard limit("-mat_spmv_tiny", std::to_string(EntriesOf(reference)));
  const Owned<Mat>  A = MakeSample(kSquare, seq(), PETSC_COMM_SELF);
  MultiplyOnce(A);
  for (const bool grown : {true, false}) {
    Ok(MatSeqAIJSetPreallocation(A, kSquare.cols, NULL));
    Ok(MatMPIAIJSetPreallocation(A, kSquare.cols, NULL, kSquare.cols, NULL));
    Ok(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    SetSampleValues(A, kSquare);
    if (grown) // two rows in full, of which the sample has one at most
      for (PetscInt c = 0; c < 2 * kSquare.cols; ++c) Ok(MatSetValue(A, c % 2, c / 2, 3, INSERT_VALUES));
    Assemble(A);
    MultiplyOnce(A);
    EXPECT_EQ(MultipliesByAij(A), !grown);
    if (!grown) ExpectSameProducts(A, reference);
  }
}

// A view builds the format to tell of it: the next product must not have other bits for that.
TEST_P(Tiny, StaysSoWhenItHasBeenLookedAt)
{
  const Owned<Mat>  A    = MakeSample(kSquare, seq(), PETSC_COMM_SELF);
  const std::string text = Viewed(A, PETSC_VIEWER_ASCII_INFO_DETAIL);
  EXPECT_TRUE(MultipliesByAij(A));
  ExpectContains(text, "products are AIJ's own");
  SetSampleValues(A, kSquare.with_seed(5));
  MultiplyOnce(A);
  EXPECT_TRUE(MultipliesByAij(A));
}

TEST_P(Tiny, HearsOfAnotherLimit)
{
  const Owned<Mat> A = MakeSample(kSquare, seq(), PETSC_COMM_SELF);
  MultiplyOnce(A);
  for (const PetscInt limit : {0, 1000, 0}) {
    Ok(MatSpMVSetOption(A, "tiny", limit));
    MultiplyOnce(A);
    EXPECT_EQ(MultipliesByAij(A), limit > 0);
  }
}

TEST_P(Tiny, IsSoInADuplicateAndAfterAConversion)
{
  const Owned<Mat> A = MakeSample(kSquare, seq(), PETSC_COMM_SELF), reference = MakeSample(kSquare, MATAIJ, PETSC_COMM_SELF);
  Owned<Mat>       copy, dense, converted;
  MultiplyOnce(A);
  Ok(MatDuplicate(A, MAT_COPY_VALUES, copy.out()));
  Ok(MatConvert(A, MATDENSE, MAT_INITIAL_MATRIX, dense.out()));
  Ok(MatConvert(reference, root().c_str(), MAT_INITIAL_MATRIX, converted.out()));
  for (Mat B : {(Mat)A, (Mat)copy, (Mat)converted}) {
    MultiplyOnce(B);
    EXPECT_TRUE(MultipliesByAij(B));
    ExpectSameProducts(B, reference);
  }
  Ok(MatConvert(copy, MATAIJ, MAT_INPLACE_MATRIX, copy.inout()));
  EXPECT_TRUE(MultipliesByAij(copy));
}

PetscErrorCode CountedMult(Mat, Vec, Vec y)
{
  PetscFunctionBegin;
  PetscCall(VecSet(y, 42));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST_P(Tiny, LeavesAProductOfTheProgramAlone)
{
  const Owned<Mat> A = MakeSample(kSquare, seq(), PETSC_COMM_SELF);
  shadow::VoidFn   now;
  Ok(MatSetOperation(A, MATOP_MULT, (shadow::VoidFn)CountedMult));
  SetSampleValues(A, kSquare.with_seed(5));
  Ok(MatSetFromOptions(A));
  MultiplyOnce(A);
  Ok(MatGetOperation(A, MATOP_MULT, &now));
  EXPECT_EQ(now, (shadow::VoidFn)CountedMult);
}

TEST_P(Tiny, AreTheBlocksOfAParallelMatrix)
{
  if (Ranks() == 1) return;
  const Owned<Mat> A = MakeSample(kSquare, world()), reference = MakeSample(kSquare, MATAIJ);
  Mat              blocks[2];
  MultiplyOnce(A);
  Ok(shadow::GetBlocks(A, blocks));
  for (Mat block : blocks) EXPECT_TRUE(MultipliesByAij(block));
  ExpectSameProducts(A, reference);
}

INSTANTIATE_TEST_SUITE_P(Types, Tiny, EachType(), TypeName);

} // namespace
