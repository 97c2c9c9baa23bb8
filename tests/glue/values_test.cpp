/// Ways of PETSc to write the values of an AIJ matrix that go past MatSetValues.

#include <cstdio>

#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"

using namespace petscspmv::test;

namespace {

class Values : public TypeTest { };
INSTANTIATE_TEST_SUITE_P(Types, Values, EachType(), TypeName);

TEST_P(Values, StoreAndRetrieve)
{
  const Owned<Mat> A = MakeSample(kSquare, root()), reference = MakeSample(kSquare, MATAIJ);
  for (Mat mat : {(Mat)A, (Mat)reference}) {
    Ok(MatSetOption(mat, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE)); // as MatStoreValues asks for
    Ok(MatStoreValues(mat));
    Ok(MatScale(mat, 3));
  }
  ExpectSameProducts(A, reference);
  Ok(MatRetrieveValues(A));
  Ok(MatRetrieveValues(reference));
  const Counts after = CountsDuring([&] { ExpectSameProducts(A, reference); });
  EXPECT_EQ((Counts{0, BlocksOf(A)}), after);
  ExpectSameProducts(A, MakeSample(kSquare, MATAIJ));
}

TEST_P(Values, RetrieveAfterConversionToAij)
{
  const Owned<Mat> A = MakeSample(kSquare, root());
  Ok(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
  Ok(MatStoreValues(A));
  Ok(MatScale(A, 3));
  Mat mat = A;
  Ok(MatConvert(A, MATAIJ, MAT_INPLACE_MATRIX, &mat));
  Ok(MatRetrieveValues(A));
  ExpectSameEntries(A, MakeSample(kSquare, MATAIJ));
}

TEST_P(Values, ArraysOfTheUser)
{
  PetscInt    row_ptr[] = {0, 2, 2, 3}, col[] = {0, 2, 1};
  PetscScalar val[] = {1, 2, 3}, same[] = {1, 2, 3};
  Owned<Mat>  A, reference;
  Ok(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, 3, 3, row_ptr, col, val, A.out()));
  Ok(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, 3, 3, row_ptr, col, same, reference.out()));
  Ok(MatConvert(A, root().c_str(), MAT_INPLACE_MATRIX, A.inout()));
  EXPECT_EQ(seq_type(), TypeOf(A));
  ExpectSameProducts(A, reference);
  val[1] = same[1] = 7; // behind PETSc's back, so assembly has to tell
  for (Mat mat : {(Mat)A, (Mat)reference}) Assemble(mat);
  EXPECT_EQ(0, CountsDuring([&] { ExpectSameProducts(A, reference); }).builds);
}

/// Writes over the values of a sequential matrix behind PETSc's back.
void ChangeSecretly(Mat A)
{
  MatInfo            info;
  const PetscScalar *values;
  Ok(MatGetInfo(A, MAT_LOCAL, &info));
  Ok(MatSeqAIJGetArrayRead(A, &values));
  for (std::size_t k = 0; k < (std::size_t)info.nz_used; ++k) const_cast<PetscScalar *>(values)[k] = PetscScalar(PetscReal(k % 7) - 3);
  Ok(MatSeqAIJRestoreArrayRead(A, &values));
}

/// README's limits: who sees it at once, and the call that tells the others.
TEST_P(Values, ThatNobodyWasToldOf)
{
  const OptionGuard on_host("-mat_spmv_vec_type", "standard");
  const Owned<Mat>  A = MakeSample(kSquare, root()), reference = MakeSample(kSquare, MATAIJ);
  std::vector<Mat>  blocks{A}, reference_blocks{reference};
  const auto        split = [](Mat parallel, std::vector<Mat> &into) {
    into.resize(2);
    Ok(MatMPIAIJGetSeqAIJ(parallel, into.data(), &into[1], nullptr));
  };
  ExpectSameProducts(A, reference);
  if (Ranks() > 1) split(A, blocks), split(reference, reference_blocks);
  for (Mat block : blocks) ChangeSecretly(block);
  for (Mat block : reference_blocks) ChangeSecretly(block);
  if (root() == "aijspec" || root() == "aijlight") ExpectSameProducts(A, reference);
  for (Mat block : blocks) Ok(PetscObjectStateIncrease((PetscObject)block));
  ExpectSameProducts(A, reference);
}

/// Sets the entries of `sample` by coordinates, some of them twice, and some of another rank's.
Coordinates Scattered(const Sample &sample, Mat A)
{
  Coordinates       c(sample, A);
  const Coordinates own = c;
  for (std::size_t k = 0; k < own.rows.size(); ++k)
    if (const PetscInt row = own.rows[k]; (row + own.cols[k]) % 5 == 0) c.add((row + 9) % sample.rows, (row + 9) % sample.cols, 3);
  return c;
}
void SetScattered(Mat A, const Sample &sample)
{
  Coordinates c = Scattered(sample, A);
  Ok(MatSetPreallocationCOO(A, (PetscCount)c.rows.size(), c.rows.data(), c.cols.data()));
  Ok(MatSetValuesCOO(A, c.values.data(), INSERT_VALUES));
}

TEST_P(Values, ByCoordinates)
{
  const Owned<Mat> A = Sized(root(), kSquare.rows, kSquare.cols), reference = Sized(MATAIJ, kSquare.rows, kSquare.cols);
  for (Mat mat : {(Mat)A, (Mat)reference}) {
    Ok(MatSetUp(mat));
    SetScattered(mat, kSquare);
  }
  EXPECT_EQ(world_type(), TypeOf(A));
  ExpectSameProducts(A, reference);
  for (InsertMode mode : {INSERT_VALUES, ADD_VALUES, ADD_VALUES}) {
    for (Mat mat : {(Mat)A, (Mat)reference}) Ok(MatSetValuesCOO(mat, Scattered(kSquare.with_seed(31), mat).values.data(), mode));
    EXPECT_EQ((Counts{0, BlocksOf(A)}), CountsDuring([&] { ExpectSameProducts(A, reference); })) << "mode " << mode;
  }
  // another set of coordinates is another matrix
  for (Mat mat : {(Mat)A, (Mat)reference}) SetScattered(mat, {24, 24, true, 5, true});
  EXPECT_EQ(world_type(), TypeOf(A));
  ExpectSameProducts(A, reference);
}

TEST_P(Values, LoadFromAFile)
{
  const std::string  file      = "/tmp/petscspmv_load." + std::to_string(Ranks());
  const Owned<Mat>   reference = MakeSample(kHoley, MATAIJ);
  Owned<PetscViewer> viewer;
  Owned<Mat>         A;
  Ok(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file.c_str(), FILE_MODE_WRITE, viewer.out()));
  Ok(MatView(MakeSample(kHoley, root()), viewer)); // ours writes what AIJ writes
  Ok(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file.c_str(), FILE_MODE_READ, viewer.out()));
  Ok(MatCreate(PETSC_COMM_WORLD, A.out()));
  Ok(MatSetType(A, root().c_str()));
  Ok(MatLoad(A, viewer));
  EXPECT_EQ(world_type(), TypeOf(A));
  ExpectSameEntries(A, reference);
  ExpectSameProducts(A, reference);

  Ok(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file.c_str(), FILE_MODE_WRITE, viewer.out()));
  Ok(MatView(MakeSample(kHoley.with_seed(9), MATAIJ), viewer));
  Ok(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file.c_str(), FILE_MODE_READ, viewer.out()));
  Ok(MatLoad(A, viewer)); // into a matrix that is in use
  ExpectSameProducts(A, MakeSample(kHoley.with_seed(9), MATAIJ));
  if (Rank() == 0) std::remove(file.c_str());
}

#if PETSC_VERSION_GE(3, 20, 0) // since when there is MatEliminateZeros
TEST_P(Values, EliminatedZeros)
{
  const Owned<Mat> A = MakeSample(kSquare, root()), reference = MakeSample(kSquare, MATAIJ);
  for (Mat mat : {(Mat)A, (Mat)reference}) {
    PetscInt first;
    Ok(MatGetOwnershipRange(mat, &first, NULL));
    Ok(MatSetValue(mat, first, first, 0, INSERT_VALUES));
    Assemble(mat);
  }
  ExpectSameProducts(A, reference);
  Ok(MatEliminateZeros(A, PETSC_FALSE));
  Ok(MatEliminateZeros(reference, PETSC_FALSE));
  EXPECT_GE(CountsDuring([&] { ExpectSameProducts(A, reference); }).builds, 1);
  ExpectSameEntries(A, reference);
}
#endif

} // namespace
