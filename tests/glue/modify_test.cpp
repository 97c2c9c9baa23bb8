/// Whatever changes a matrix after its first product: the next product is right, and the format was built anew only if
/// the pattern changed.

#include <algorithm>

#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/door/attach.hpp"
#include "glue/support/types.hpp"

using namespace petscspmv::test;
namespace shadow = petscspmv::shadow;

namespace {

enum class Effect { refresh, rebuild };

struct Change : NamedCase {
  Effect effect;
  void (*apply)(Mat A, const Sample &sample); ///< the same for AIJ and for a type of ours; A was made of the sample
};

Owned<Vec> Integers(Mat A, bool right, unsigned seed)
{
  Owned<Vec> v;
  Ok(MatCreateVecs(A, right ? v.out() : NULL, right ? NULL : v.out()));
  SetSmallIntegers(v, seed);
  return v;
}

/// A row of each rank, and so of no other.
PetscInt OwnRow(Mat A)
{
  PetscInt first, last;
  Ok(MatGetOwnershipRange(A, &first, &last));
  return (first + last) / 2;
}

void SetOwnEntry(Mat A, PetscInt col, InsertMode mode)
{
  Ok(MatSetValue(A, OwnRow(A), col, 7, mode));
  Assemble(A);
}

/// A column in which OwnRow() has no entry.
PetscInt FreeColumn(Mat A, const Sample &sample)
{
  const auto used = SampleColumns(sample, OwnRow(A));
  for (PetscInt col = sample.cols - 1; col >= 0; --col)
    if (std::find(used.begin(), used.end(), col) == used.end()) return col;
  return -1;
}

void Axpy(Mat A, const Sample &other, MatStructure structure)
{
  const Owned<Mat> X = MakeSample(other, TypeOf(A));
  Ok(MatAXPY(A, 2, X, structure));
}

/// Writes change(value, k) over each value in the arrays that a function of PETSc's gives.
using Array = PetscErrorCode (*)(Mat, PetscScalar *[]);
template <class Write> void ChangeArrays(Mat A, Array get, Array restore, const Write &change)
{
  Ok(shadow::ForEachPart(A, [&](Mat part) {
    MatInfo      info;
    PetscScalar *values;
    Ok(MatGetInfo(part, MAT_LOCAL, &info));
    Ok(get(part, &values));
    for (PetscInt k = 0; k < (PetscInt)info.nz_used; ++k) values[k] = change(values[k], k);
    Ok(restore(part, &values));
    return PETSC_SUCCESS;
  }));
}

const std::vector<Change> kChanges{
  {"Scale", Effect::refresh, [](Mat A, const Sample &) { Ok(MatScale(A, 2)); }},
  {"Shift", Effect::refresh, [](Mat A, const Sample &) { Ok(MatShift(A, 3)); }},
  {"ZeroEntries", Effect::refresh, [](Mat A, const Sample &) { Ok(MatZeroEntries(A)); }},
  {"Conjugate", Effect::refresh,
   [](Mat A, const Sample &) {
     Ok(MatConjugate(A)); // does nothing to real scalars
     Ok(MatScale(A, -1));
   }},
  {"DiagonalScale", Effect::refresh,
   [](Mat A, const Sample &) {
     const Owned<Vec> left = Integers(A, false, 8), right = Integers(A, true, 9);
     Ok(MatDiagonalScale(A, left, right));
   }},
  {"DiagonalScaleRightOnly", Effect::refresh, [](Mat A, const Sample &) { Ok(MatDiagonalScale(A, NULL, Integers(A, true, 9))); }},
  {"DiagonalSetInsert", Effect::refresh, [](Mat A, const Sample &) { Ok(MatDiagonalSet(A, Integers(A, false, 8), INSERT_VALUES)); }},
  {"DiagonalSetAdd", Effect::refresh, [](Mat A, const Sample &) { Ok(MatDiagonalSet(A, Integers(A, false, 8), ADD_VALUES)); }},
  {"SetValuesInsert", Effect::refresh, [](Mat A, const Sample &sample) { SetSampleValues(A, sample.with_other_values(12)); }},
  {"SetValuesAdd", Effect::refresh, [](Mat A, const Sample &sample) { SetSampleValues(A, sample.with_other_values(13), ADD_VALUES); }},
  {"SetOneValue", Effect::refresh, [](Mat A, const Sample &) { SetOwnEntry(A, OwnRow(A), INSERT_VALUES); }},
  {"FlushBetweenInsertAndAdd", Effect::refresh,
   [](Mat A, const Sample &) {
     Ok(MatSetValue(A, OwnRow(A), OwnRow(A), 5, INSERT_VALUES));
     Ok(MatAssemblyBegin(A, MAT_FLUSH_ASSEMBLY));
     Ok(MatAssemblyEnd(A, MAT_FLUSH_ASSEMBLY));
     SetOwnEntry(A, OwnRow(A), ADD_VALUES);
   }},
  {"AxpySame", Effect::refresh, [](Mat A, const Sample &sample) { Axpy(A, sample.with_other_values(14), SAME_NONZERO_PATTERN); }},
  {"AxpySubset", Effect::refresh,
   [](Mat A, const Sample &sample) {
     const Owned<Mat> X = CreateSample(sample, TypeOf(A));
     PetscInt         first, last;
     Ok(MatGetOwnershipRange(A, &first, &last));
     // An entry in each row: PETSc's sum of aijcusparse reads beyond the arrays of X where many rows are empty.
     for (PetscInt row = first; row < last; ++row) Ok(MatSetValue(X, row, row, PetscReal(row % 5), INSERT_VALUES));
     Assemble(X);
     Ok(MatAXPY(A, 2, X, SUBSET_NONZERO_PATTERN));
   }},
  {"Aypx", Effect::refresh,
   [](Mat A, const Sample &sample) { Ok(MatAYPX(A, 3, MakeSample(sample.with_other_values(15), TypeOf(A)), SAME_NONZERO_PATTERN)); }},
  {"CopyInto", Effect::refresh,
   [](Mat A, const Sample &sample) { Ok(MatCopy(MakeSample(sample.with_other_values(16), TypeOf(A)), A, SAME_NONZERO_PATTERN)); }},
  {"Retrieve", Effect::refresh,
   [](Mat A, const Sample &) {
     Ok(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE)); // as MatStoreValues asks for
     Ok(MatDiagonalScale(A, Integers(A, false, 8), NULL));
     Ok(MatStoreValues(A));
     Ok(MatZeroEntries(A));
     Ok(MatRetrieveValues(A));
   }},
  {"GetArray", Effect::refresh,
   [](Mat A, const Sample &) {
     ChangeArrays(A, MatSeqAIJGetArray, MatSeqAIJRestoreArray, [](PetscScalar v, PetscInt k) { return v * PetscReal(1 + k % 5); });
   }},
  {"GetArrayWrite", Effect::refresh,
   [](Mat A, const Sample &) {
     ChangeArrays(A, MatSeqAIJGetArrayWrite, MatSeqAIJRestoreArrayWrite, [](PetscScalar, PetscInt) { return PetscScalar(6); });
   }},
  {"ZeroRowsKeepingThePattern", Effect::refresh,
   [](Mat A, const Sample &) {
     const PetscInt row = OwnRow(A);
     Ok(MatSetOption(A, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
     Ok(MatZeroRows(A, 1, &row, 6, NULL, NULL));
   }},
  {"ZeroRowsColumns", Effect::refresh,
   [](Mat A, const Sample &) {
     const PetscInt row = OwnRow(A);
     Ok(MatZeroRowsColumns(A, 1, &row, 6, NULL, NULL));
   }},
  {"ZeroRows", Effect::rebuild,
   [](Mat A, const Sample &) {
     const PetscInt row = OwnRow(A);
     Ok(MatZeroRows(A, 1, &row, 6, NULL, NULL));
   }},
  {"NewEntry", Effect::rebuild,
   [](Mat A, const Sample &sample) {
     Ok(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
     SetOwnEntry(A, FreeColumn(A, sample), INSERT_VALUES);
   }},
  {"AxpyDifferent", Effect::rebuild,
   [](Mat A, const Sample &) {
     Axpy(A, Sample{24, 24, true, 17, true}, DIFFERENT_NONZERO_PATTERN);
   }},
  {"CopyDifferentInto", Effect::rebuild,
   [](Mat A, const Sample &) {
     Ok(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
     Ok(MatCopy(MakeSample(Sample{24, 24, true, 17, true}, TypeOf(A)), A, DIFFERENT_NONZERO_PATTERN));
   }},
  {"TransposeInPlace", Effect::rebuild, [](Mat A, const Sample &) { Ok(MatTranspose(A, MAT_INPLACE_MATRIX, &A)); }},
  {"PreallocateAgain", Effect::rebuild,
   [](Mat A, const Sample &) {
     Ok(MatSeqAIJSetPreallocation(A, 24, NULL));
     Ok(MatMPIAIJSetPreallocation(A, 24, NULL, 24, NULL));
     SetSampleValues(A, Sample{24, 24, true, 18, true});
   }},
  {"HeaderReplace", Effect::rebuild,
   [](Mat A, const Sample &) {
     Owned<Mat> C = MakeSample(Sample{24, 24, true, 19, true}, TypeOf(A));
     Ok(MatHeaderReplace(A, C.inout()));
   }},
};

class Modify : public TypeTestWith<Change> { };
INSTANTIATE_TEST_SUITE_P(Types, Modify, EachTypeWith(kChanges), TypeAndCase);

/// Whether A or a block of it multiplies by no method.
bool IsLost(Mat A)
{
  bool lost = false;
  Ok(shadow::ForEachPart(A, [&lost](Mat part) {
    const char *method;
    Ok(MatSpMVGetMethod(part, &method));
    lost = lost || method == std::string("none");
    return PETSC_SUCCESS;
  }));
  return lost;
}

TEST_P(Modify, IsSeenByTheNextProduct)
{
  const Owned<Mat> A = MakeSample(kSquare, root()), reference = MakeSample(kSquare, MATAIJ);
  ExpectSameProducts(A, reference);

  const Counts during = CountsDuring([&] { at_hand().apply(A, kSquare); });
  EXPECT_EQ((Counts{0, 0}), during) << "the format follows at the next product, not before";
  at_hand().apply(reference, kSquare);

  const Counts after = CountsDuring([&] { ExpectSameProducts(A, reference); });
  if (LivesOnDevice(root()) && IsLost(A)) return; // another matrix of PETSc's in the header, with its type as before
  if (at_hand().effect == Effect::refresh) {
    EXPECT_EQ(0, after.builds) << "the pattern is the old one";
    if (BlocksOf(A) == 1) EXPECT_EQ(1, after.refreshes);
    else EXPECT_GE(Sum(after.refreshes), 1); // of the blocks, only those that changed
  } else {
    if (BlocksOf(A) == 1) EXPECT_EQ((Counts{1, 0}), after);
    else EXPECT_GE(Sum(after.builds), 1);
  }
  EXPECT_EQ((Counts{0, 0}), CountsDuring([&] { ExpectSameProducts(A, reference); })) << "nothing changed";
}

TEST_P(Modify, IsSeenByTransposedProductsOfWhatWasSymmetric)
{
  for (const Knowledge &knowledge : KnowledgeOfSymmetry()) {
    SCOPED_TRACE(knowledge.name);
    const Owned<Mat> A = MakeSample(kSymmetric, root()), reference = MakeSample(kSymmetric, MATAIJ);
    knowledge.tell(A);
    ExpectSameProducts(A, reference);
    at_hand().apply(A, kSymmetric);
    at_hand().apply(reference, kSymmetric);
    ExpectSameProducts(A, reference);
    ExpectSameTransposedDenseProduct(A, reference);
  }
}

} // namespace
