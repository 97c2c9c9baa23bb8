/// Parallel matrices: the two blocks of each rank are of our type however the matrix came to be.

#include <algorithm>

#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"
#include "glue/door/attach.hpp"

using namespace petscspmv::test;
namespace shadow = petscspmv::shadow;

namespace {

/// A way to a matrix on PETSC_COMM_WORLD, from the name of a type.
struct Way : NamedCase {
  Owned<Mat> (*make)(const char type[]);
};

Owned<IS> OwnRows(Mat A)
{
  PetscInt  first, last;
  Owned<IS> rows;
  Ok(MatGetOwnershipRange(A, &first, &last));
  Ok(ISCreateStride(PETSC_COMM_WORLD, (last - first + 1) / 2, first, 2, rows.out()));
  return rows;
}

/// The rows of `sample` that are this rank's in A, as a sequential matrix.
Owned<Mat> LocalRows(Mat A, const char type[])
{
  const Coordinates c(kSquare, A);
  PetscInt          first, last;
  Ok(MatGetOwnershipRange(A, &first, &last));
  Owned<Mat> S = Sized(type, last - first, kSquare.cols, PETSC_COMM_SELF);
  Ok(MatSetUp(S));
  Ok(MatSetOption(S, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (std::size_t k = 0; k < c.rows.size(); ++k) Ok(MatSetValue(S, c.rows[k] - first, c.cols[k], c.values[k], INSERT_VALUES));
  Assemble(S);
  return S;
}

const std::vector<Way> kWays{
  {"Preallocation", [](const char type[]) { return MakeSample(kSquare, type); }},
  {"SetUpWithoutPreallocation",
   [](const char type[]) {
     Owned<Mat> A = Sized(type, kSquare.rows, kSquare.cols);
     Ok(MatSetUp(A));
     Ok(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
     SetSampleValues(A, kSquare);
     return A;
   }},
  {"FirstRankEmpty",
   [](const char type[]) {
     Sample s = kSquare;
     s.layout = Layout::first_rank_empty;
     return MakeSample(s, type);
   }},
  {"NothingOffTheDiagonal",
   [](const char type[]) {
     return MakeSample({24, 24, true, 5, false, true}, type);
   }},
  {"NewEntryInANewColumn", // MPIAIJ makes its off-diagonal block anew
   [](const char type[]) {
     Owned<Mat> A = MakeSample({24, 24, true, 5, false, true}, type);
     MultiplyOnce(A);
     Ok(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
     if (Rank() == 0) Ok(MatSetValue(A, 0, 23, 5, INSERT_VALUES));
     Assemble(A);
     return A;
   }},
  {"Duplicate",
   [](const char type[]) {
     Owned<Mat> B;
     Ok(MatDuplicate(MakeSample(kSquare, type), MAT_COPY_VALUES, B.out()));
     return B;
   }},
  {"Transpose",
   [](const char type[]) {
     Owned<Mat> B;
     Ok(MatTranspose(MakeSample(kTall, type), MAT_INITIAL_MATRIX, B.out()));
     return B;
   }},
  {"TransposeReusing",
   [](const char type[]) {
     Owned<Mat> A = MakeSample(kTall, type), B;
     Ok(MatTranspose(A, MAT_INITIAL_MATRIX, B.out()));
     MultiplyOnce(B);
     Ok(MatScale(A, 2));
     Ok(MatTranspose(A, MAT_REUSE_MATRIX, B.inout()));
     return B;
   }},
  {"SubMatrix",
   [](const char type[]) {
     const Owned<Mat> A    = MakeSample(kSquare, type);
     const Owned<IS>  rows = OwnRows(A);
     Owned<Mat>       B;
     Ok(MatCreateSubMatrix(A, rows, rows, MAT_INITIAL_MATRIX, B.out()));
     MultiplyOnce(B);
     Ok(MatScale(A, 3));
     Ok(MatCreateSubMatrix(A, rows, rows, MAT_REUSE_MATRIX, B.inout()));
     return B;
   }},
  {"Product",
   [](const char type[]) {
     Owned<Mat> P;
     Ok(MatMatMult(MakeSample(kSquare, type), MakeSample(kSquare.with_seed(2), type), MAT_INITIAL_MATRIX, PETSC_DEFAULT, P.out()));
     return P;
   }},
  {"GalerkinProduct",
   [](const char type[]) {
     Owned<Mat> P;
     Ok(MatPtAP(MakeSample(kSquare, type), MakeSample({24, 9, false}, type), MAT_INITIAL_MATRIX, PETSC_DEFAULT, P.out()));
     return P;
   }},
  {"SequentialMatricesSideBySide",
   [](const char type[]) {
     const Owned<Mat> A = MakeSample(kSquare, type);
     Owned<Mat>       B, rows = LocalRows(A, type);
     PetscInt         m, n;
     Ok(MatGetLocalSize(A, &m, &n));
     Ok(MatCreateMPIMatConcatenateSeqMat(PETSC_COMM_WORLD, rows, n, MAT_INITIAL_MATRIX, B.out()));
     return B;
   }},
  {"Redundant",
   [](const char type[]) {
     Owned<Mat> B;
     Ok(MatCreateRedundantMatrix(MakeSample(kSquare, type), 1, PETSC_COMM_WORLD, MAT_INITIAL_MATRIX, B.out()));
     return B;
   }},
};

class Parallel : public TypeTestWith<Way> { };
INSTANTIATE_TEST_SUITE_P(Types, Parallel, EachTypeWith(kWays), TypeAndCase);

void ExpectBlocksOfType(Mat A, const std::string &type)
{
  if (BlocksOf(A) == 1) return;
  Mat blocks[2];
  Ok(shadow::GetBlocks(A, blocks));
  for (Mat block : blocks) EXPECT_EQ(type, TypeOf(block));
}

TEST_P(Parallel, BlocksAreOurs)
{
  const Owned<Mat> A = at_hand().make(root().c_str()), reference = at_hand().make(MATAIJ);
  EXPECT_EQ(world_type(), TypeOf(A));
  EXPECT_TRUE(TypeOf(A).starts_with(Ranks() > 1 ? MATMPIAIJ : MATSEQAIJ)) << "PETSc tests this prefix in many places";
  ExpectBlocksOfType(A, seq_type());
  ExpectSameProducts(A, reference);
  ExpectBlocksOfType(A, seq_type());
  const char *method;
  Ok(MatSpMVGetMethod(A, &method));
  if (LivesOnDevice(root()) && method == std::string("none")) return; // PETSc made it of its own type, and no option names the method
  EXPECT_GE(Sum(CountsOf(A).builds), 1) << "the products were AIJ's, not ours";
}

class ParallelBlocks : public TypeTest { };
INSTANTIATE_TEST_SUITE_P(Types, ParallelBlocks, EachType(), TypeName);

TEST_P(ParallelBlocks, SubMatricesAreOurs)
{
  const Owned<Mat> A = MakeSample(kSquare, root()), reference = MakeSample(kSquare, MATAIJ);
  Owned<IS>        rows;
  Mat             *subs, *expected;
  Ok(ISCreateStride(PETSC_COMM_SELF, 8, Rank() % 3, 2, rows.out()));
  const IS is = rows;
  Ok(MatCreateSubMatrices(A, 1, &is, &is, MAT_INITIAL_MATRIX, &subs));
  Ok(MatCreateSubMatrices(reference, 1, &is, &is, MAT_INITIAL_MATRIX, &expected));
  EXPECT_EQ(seq_type(), TypeOf(subs[0]));
  ExpectSameProducts(subs[0], expected[0]);
  Ok(MatScale(A, 2));
  Ok(MatScale(reference, 2));
  Ok(MatCreateSubMatrices(A, 1, &is, &is, MAT_REUSE_MATRIX, &subs));
  Ok(MatCreateSubMatrices(reference, 1, &is, &is, MAT_REUSE_MATRIX, &expected));
  EXPECT_EQ(0, CountsDuring([&] { ExpectSameProducts(subs[0], expected[0]); }).builds);
  Ok(MatDestroySubMatrices(1, &subs));
  Ok(MatDestroySubMatrices(1, &expected));
}

TEST_P(ParallelBlocks, MatricesMadeOfSequentialOnes)
{
  if (Ranks() == 1) return;
  const Owned<Mat> like = MakeSample(kSquare, root()), reference = MakeSample(kSquare, MATAIJ);
  Mat              blocks[2], copies[2];
  const PetscInt  *ghosts;
  Owned<Mat>       A;
  Ok(MatMPIAIJGetSeqAIJ(like, &blocks[0], &blocks[1], &ghosts));
  for (int i = 0; i < 2; ++i) Ok(MatDuplicate(blocks[i], MAT_COPY_VALUES, &copies[i]));
  EXPECT_EQ(seq_type(), TypeOf(copies[0]));
#if PETSC_VERSION_LT(3, 23, 0)
  Ok(MatCreateMPIAIJWithSeqAIJ(PETSC_COMM_WORLD, copies[0], copies[1], ghosts, A.out())); // takes both copies over
#else
  PetscInt width, *own;
  Ok(MatGetSize(copies[1], NULL, &width));
  Ok(PetscMalloc1(width, &own));
  Ok(PetscArraycpy(own, ghosts, width));
  Ok(MatCreateMPIAIJWithSeqAIJ(PETSC_COMM_WORLD, kSquare.rows, kSquare.cols, copies[0], copies[1], own, A.out())); // and this array
#endif
  EXPECT_EQ(mpi_type(), TypeOf(A));
  ExpectSameProducts(A, reference);
  EXPECT_EQ((Counts{2, 0}), CountsOf(A));
}

TEST_P(ParallelBlocks, ArraysOfTheUserAndTheirUpdate)
{
  if (Ranks() == 1) return;
  const Owned<Mat>      reference = MakeSample(kSquare, MATAIJ);
  Coordinates           c(kSquare, reference);
  PetscInt              first, last, m, n;
  std::vector<PetscInt> row_ptr;
  Owned<Mat>            A;
  Ok(MatGetOwnershipRange(reference, &first, &last));
  Ok(MatGetLocalSize(reference, &m, &n));
  for (PetscInt row = first; row <= last; ++row)
    row_ptr.push_back((PetscInt)(std::lower_bound(c.rows.begin(), c.rows.end(), row) - c.rows.begin()));
  Ok(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, m, n, 24, 24, row_ptr.data(), c.cols.data(), c.values.data(), A.out()));
  Ok(MatConvert(A, root().c_str(), MAT_INPLACE_MATRIX, A.inout()));
  EXPECT_EQ(mpi_type(), TypeOf(A));
  ExpectBlocksOfType(A, seq_type());
  ExpectSameProducts(A, reference);
  for (PetscScalar &v : c.values) v *= 2;
  Ok(MatUpdateMPIAIJWithArray(A, c.values.data()));
  Ok(MatScale(reference, 2));
  EXPECT_EQ((Counts{0, 2}), CountsDuring([&] { ExpectSameProducts(A, reference); }));
}

TEST_P(ParallelBlocks, InheritOptions)
{
  if (Ranks() == 1) return;
  const Owned<Mat> A = CreateSample(kSquare, root());
  Mat              blocks[2];
  PetscInt         threads;
  const auto       expect = [&](PetscInt value) {
    Ok(shadow::GetBlocks(A, blocks));
    for (Mat block : blocks) {
      Ok(MatSpMVGetOption(block, "threads", &threads));
      EXPECT_EQ(value, threads);
    }
  };
  Ok(MatSpMVSetOption(A, "threads", 3)); // before there are blocks of ours
  SetSampleValues(A, kSquare);
  expect(3);
  MultiplyOnce(A);
  Ok(MatSpMVSetOption(A, "threads", 1));
  expect(1);
  EXPECT_EQ((Counts{2, 0}), CountsDuring([&] { MultiplyOnce(A); })) << "other options, another format";
  Ok(MatSpMVSetOption(A, "threads", 1));
  EXPECT_EQ((Counts{0, 0}), CountsDuring([&] { MultiplyOnce(A); })) << "the same option again changes nothing";
}

} // namespace
