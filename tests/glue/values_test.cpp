/// Ways of PETSc to write the values of an AIJ matrix that go past MatSetValues.

#include <algorithm>

#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"

using namespace petscspmv::test;

namespace {

class Values : public TypeTest {
protected:
  /// Applies `change` to a matrix of ours, already multiplied with, and to its AIJ twin; expects a refresh, no build.
  template <class Write> void ExpectRefreshAfter(const Sample &sample, MPI_Comm comm, Write &&write)
  {
    const Owned<Mat> A = MakeSample(sample, root(), comm), reference = MakeSample(sample, MATAIJ, comm);
    ExpectSameProducts(A, reference);
    write((Mat)A);
    write((Mat)reference);
    const Counts after = CountsDuring([&] { ExpectSameProducts(A, reference); });
    EXPECT_EQ(0, after.builds);
    EXPECT_GE(after.refreshes, 1);
  }
};
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

TEST_P(Values, GetArray)
{
  ExpectRefreshAfter(kHoley, PETSC_COMM_SELF, [](Mat A) {
    PetscScalar *values;
    Ok(MatSeqAIJGetArray(A, &values));
    values[3] = 9;
    Ok(MatSeqAIJRestoreArray(A, &values));
  });
}

TEST_P(Values, GetArrayWrite)
{
  ExpectRefreshAfter(kHoley, PETSC_COMM_SELF, [](Mat A) {
    PetscScalar *values;
    MatInfo      info;
    Ok(MatGetInfo(A, MAT_LOCAL, &info));
    Ok(MatSeqAIJGetArrayWrite(A, &values));
    std::fill(values, values + (std::size_t)info.nz_used, PetscScalar(6));
    Ok(MatSeqAIJRestoreArrayWrite(A, &values));
  });
}

TEST_P(Values, ReadingTheArrayRefreshesNothing)
{
  const Owned<Mat>   A = MakeSample(kHoley, root(), PETSC_COMM_SELF);
  const PetscScalar *values;
  MultiplyOnce(A);
  Ok(MatSeqAIJGetArrayRead(A, &values));
  Ok(MatSeqAIJRestoreArrayRead(A, &values));
  EXPECT_EQ((Counts{0, 0}), CountsDuring([&] { MultiplyOnce(A); }));
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
    Ok(MatMPIAIJGetSeqAIJ(parallel, &into[0], &into[1], nullptr));
  };
  ExpectSameProducts(A, reference);
  if (Ranks() > 1) split(A, blocks), split(reference, reference_blocks);
  for (Mat block : blocks) ChangeSecretly(block);
  for (Mat block : reference_blocks) ChangeSecretly(block);
  if (root() == "aijspec" || root() == "aijlight") ExpectSameProducts(A, reference);
  for (Mat block : blocks) Ok(PetscObjectStateIncrease((PetscObject)block));
  ExpectSameProducts(A, reference);
}

/// Entries of `sample` on this rank as coordinates, and some of them twice, and some of another rank's.
struct Coordinates {
  std::vector<PetscInt>    rows, cols;
  std::vector<PetscScalar> values;

  Coordinates(const Sample &sample, Mat A)
  {
    PetscInt first, last;
    Ok(MatGetOwnershipRange(A, &first, &last));
    for (PetscInt row = first; row < last; ++row)
      for (PetscInt col : SampleColumns(sample, row)) {
        add(row, col, SampleValue(sample, row, col));
        if ((row + col) % 5 == 0) add((row + 9) % sample.rows, (row + 9) % sample.cols, 3);
      }
  }

private:
  void add(PetscInt row, PetscInt col, PetscScalar value)
  {
    rows.push_back(row);
    cols.push_back(col);
    values.push_back(value);
  }
};

TEST_P(Values, Coordinates)
{
  Owned<Mat> mats[2];
  for (int i = 0; i < 2; ++i) {
    Ok(MatCreate(PETSC_COMM_WORLD, mats[i].out()));
    Ok(MatSetSizes(mats[i], PETSC_DECIDE, PETSC_DECIDE, kSquare.rows, kSquare.cols));
    Ok(MatSetType(mats[i], i == 0 ? root().c_str() : MATAIJ));
    Ok(MatSetUp(mats[i]));
    Coordinates c(kSquare, mats[i]);
    Ok(MatSetPreallocationCOO(mats[i], (PetscCount)c.rows.size(), c.rows.data(), c.cols.data()));
    Ok(MatSetValuesCOO(mats[i], c.values.data(), INSERT_VALUES));
  }
  const Owned<Mat> &A = mats[0], &reference = mats[1];
  EXPECT_EQ(world_type(), TypeOf(A));
  ExpectSameProducts(A, reference);
  for (InsertMode mode : {INSERT_VALUES, ADD_VALUES, ADD_VALUES}) {
    for (Mat mat : {(Mat)A, (Mat)reference}) Ok(MatSetValuesCOO(mat, Coordinates(kSquare.with_seed(31), mat).values.data(), mode));
    EXPECT_EQ((Counts{0, BlocksOf(A)}), CountsDuring([&] { ExpectSameProducts(A, reference); })) << "mode " << mode;
  }
  // another set of coordinates is another matrix
  const Sample other{24, 24, true, 5, true};
  for (Mat mat : {(Mat)A, (Mat)reference}) {
    Coordinates c(other, mat);
    Ok(MatSetPreallocationCOO(mat, (PetscCount)c.rows.size(), c.rows.data(), c.cols.data()));
    Ok(MatSetValuesCOO(mat, c.values.data(), INSERT_VALUES));
  }
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

  Ok(MatView(MakeSample(kHoley.with_seed(9), MATAIJ), [&] {
    Ok(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file.c_str(), FILE_MODE_WRITE, viewer.out()));
    return (PetscViewer)viewer;
  }()));
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
