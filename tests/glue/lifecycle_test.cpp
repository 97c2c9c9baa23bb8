/// From creation to destruction: when the format is built, what copies share, what may be destroyed when.

#include <fstream>
#include <iterator>

#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"
#include "glue/door/registry.hpp"
#include "glue/shadow.hpp"

using namespace petscspmv::test;
namespace shadow = petscspmv::shadow;

namespace {

class Lifecycle : public TypeTest { };
INSTANTIATE_TEST_SUITE_P(Types, Lifecycle, EachType(), TypeName);

TEST_P(Lifecycle, ShortTypeNamesAreUnderstood)
{
  const Owned<Mat> reference = MakeSample(kSquare, MATAIJ);
  const Owned<Mat> A         = MakeSample(kSquare, (Ranks() > 1 ? "mpi" : "seq") + root()),
                   S         = MakeSample(kSquare, "seq" + root(), PETSC_COMM_SELF);
  EXPECT_EQ(world_type(), TypeOf(A));
  EXPECT_EQ(seq_type(), TypeOf(S));
  ExpectSameProducts(A, reference);
  Ok(MatSetType(S, ("seq" + root()).c_str()));
  PetscBool assembled = PETSC_FALSE;
  Ok(MatAssembled(S, &assembled));
  EXPECT_TRUE(assembled || LivesOnDevice(root())) << "a matrix that has the type keeps its entries, where it has the name as well";

  const Owned<Mat> plain = MakeSample(kSquare, MATAIJ, PETSC_COMM_SELF);
  Ok(MatSeqAIJSetType(plain, ("seq" + root()).c_str()));
  EXPECT_EQ(seq_type(), TypeOf(plain));

  Owned<Mat> parallel, converted;
  Ok(MatCreate(PETSC_COMM_WORLD, parallel.out()));
  Ok(MatSetType(parallel, ("mpi" + root()).c_str()));
  EXPECT_EQ(mpi_type(), TypeOf(parallel)) << "also on one process";
  Ok(MatConvert(reference, ((Ranks() > 1 ? "mpi" : "seq") + root()).c_str(), MAT_INITIAL_MATRIX, converted.out()));
  EXPECT_EQ(world_type(), TypeOf(converted));
  ExpectSameProducts(converted, reference);
}

TEST_P(Lifecycle, BuildsAtTheFirstProductOnly)
{
  Owned<Mat> A;
  EXPECT_EQ((Counts{0, 0}), CountsDuring([&] {
              A = MakeSample(kSquare, root());
              Ok(MatSetFromOptions(A));
              Ok(MatDuplicate(A, MAT_COPY_VALUES, Owned<Mat>().out()));
            }));
  EXPECT_EQ((Counts{0, 0}), CountsOf(A));
  EXPECT_EQ((Counts{BlocksOf(A), 0}), CountsDuring([&] { MultiplyOnce(A); }));
  EXPECT_EQ((Counts{BlocksOf(A), 0}), CountsOf(A));
  EXPECT_EQ((Counts{0, 0}), CountsDuring([&] { ExpectSameProducts(A, MakeSample(kSquare, MATAIJ)); }));
}

TEST_P(Lifecycle, InfoSaysWhatWillBeTakenBeforeItIs)
{
  const bool        borrows = shadow::FindKind(root().c_str())->format.borrows;
  const Owned<Mat>  A       = MakeSample(kSquare, root());
  const std::string name    = "info." + root() + std::to_string(Ranks());
  Ok(PetscInfoAllow(PETSC_TRUE));
  Ok(PetscInfoSetFile(name.c_str(), "w"));
  MultiplyOnce(A);
  Ok(PetscInfoAllow(PETSC_FALSE));
  Ok(PetscInfoSetFile(NULL, "w"));
  PetscMPIInt rank;
  ASSERT_EQ(0, MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  std::ifstream     file(name + "." + std::to_string(rank));
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::size_t takes = text.find(root() + ": will take "), built = text.find(root() + ": built");
  EXPECT_NE(text.npos, built) << text;
  if (LivesOnDevice(root())) return; // what it takes there is told afterwards, by a view
  EXPECT_EQ(borrows, takes == text.npos) << text;
  if (!borrows) { EXPECT_LT(takes, built) << text; }
}

TEST_P(Lifecycle, FootprintIsThatOfTheFormat)
{
  const Owned<Mat> A     = MakeSample(kSquare, root());
  PetscLogDouble   owned = -1, borrowed = -1;
  Ok(MatSpMVGetFootprint(A, &owned, &borrowed));
  EXPECT_EQ(0, owned + borrowed) << "before the first product";
  MultiplyOnce(A);
  Ok(MatSpMVGetFootprint(A, &owned, &borrowed));
  EXPECT_GT(owned + borrowed, 0);
  if (root() == TestMirror::name) { EXPECT_EQ(0, borrowed); }
  Ok(MatSpMVGetFootprint(A, NULL, NULL));
  Ok(MatSpMVGetCounts(A, NULL, NULL));
}

TEST_P(Lifecycle, QuestionsAboutAnUnassembledMatrixAreAnswered)
{
  const Owned<Mat> A     = CreateSample(kSquare, root());
  PetscLogDouble   bytes = -1;
  EXPECT_EQ((Counts{0, 0}), CountsOf(A));
  Ok(MatSpMVGetFootprint(A, &bytes, NULL));
  EXPECT_EQ(0, bytes);
}

TEST_P(Lifecycle, DuplicateHasTheOptionsAndAFormatOfItsOwn)
{
  const Owned<Mat> A = MakeSample(kSquare, root()), reference = MakeSample(kSquare, MATAIJ);
  PetscInt         threads;
  Owned<Mat>       B;
  Ok(MatSpMVSetOption(A, "threads", 1));
  MultiplyOnce(A);
  Ok(MatDuplicate(A, MAT_COPY_VALUES, B.out()));
  EXPECT_EQ(world_type(), TypeOf(B));
  EXPECT_EQ((Counts{0, 0}), CountsOf(B));
  Ok(MatSpMVGetOption(B, "threads", &threads));
  EXPECT_EQ(1, threads);

  Ok(MatScale(B, 2));
  ExpectSameProducts(A, reference);
  EXPECT_EQ((Counts{BlocksOf(A), 0}), CountsOf(A)) << "the copy's values are its own";
  Ok(MatScale(reference, 2));
  ExpectSameProducts(B, reference);
  Ok(MatSpMVSetOption(B, "threads", 2));
  Ok(MatSpMVGetOption(A, "threads", &threads));
  EXPECT_EQ(1, threads) << "the copy's options are its own";
}

TEST_P(Lifecycle, DuplicateWithoutValues)
{
  const Owned<Mat> A = MakeSample(kSquare, root()), reference = MakeSample(kSquare, MATAIJ);
  MultiplyOnce(A);
  for (MatDuplicateOption how : {MAT_DO_NOT_COPY_VALUES, MAT_SHARE_NONZERO_PATTERN}) {
    Owned<Mat> B, expected;
    Ok(MatDuplicate(A, how, B.out()));
    Ok(MatDuplicate(reference, how, expected.out()));
    EXPECT_EQ(world_type(), TypeOf(B));
    ExpectSameProducts(B, expected);
    SetSampleValues(B, kSquare.with_seed(3));
    SetSampleValues(expected, kSquare.with_seed(3));
    ExpectSameProducts(B, expected);
  }
  ExpectSameProducts(A, reference);
}

TEST_P(Lifecycle, AMatrixWithoutAnyStateCanBeDestroyed)
{
  Owned<Mat>       created;
  const Owned<Mat> sized = CreateSample(kSquare, root()), set_up = Sized(root(), 5, 5);
  Ok(MatCreate(PETSC_COMM_WORLD, created.out()));
  Ok(MatSetType(created, root().c_str()));
  Ok(MatSetUp(set_up));
}

TEST_P(Lifecycle, DestructionInAnyOrder)
{
  Owned<Mat> A = MakeSample(kSquare, root()), B, P;
  Owned<KSP> ksp;
  MultiplyOnce(A);
  Ok(MatDuplicate(A, MAT_COPY_VALUES, B.out()));
  MultiplyOnce(B);
  Ok(MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, P.out()));
  MultiplyOnce(P);
  Ok(KSPCreate(PETSC_COMM_WORLD, ksp.out()));
  Ok(KSPSetOperators(ksp, A, B));
  A = Owned<Mat>();
  B = Owned<Mat>();
  ExpectSameProducts(P, [&] {
    Owned<Mat> C, Q;
    Ok(MatConvert(P, MATAIJ, MAT_INITIAL_MATRIX, C.out()));
    return C;
  }());
  ksp = Owned<KSP>();
}

TEST_P(Lifecycle, SettingTheTypeOfAnAssembledMatrixConvertsIt)
{
  const Owned<Mat> A = MakeSample(kSquare, MATAIJ), reference = MakeSample(kSquare, MATAIJ);
  Ok(MatSetType(A, root().c_str()));
  EXPECT_EQ(world_type(), TypeOf(A));
  EXPECT_EQ((Counts{BlocksOf(A), 0}), CountsDuring([&] { ExpectSameProducts(A, reference); }));
}

TEST_P(Lifecycle, InitializePackageManyTimes)
{
  const Owned<Mat> A = MakeSample(kSquare, root());
  MultiplyOnce(A);
  for (int i = 0; i < 5; ++i) Ok(PetscSpMVInitializePackage());
  EXPECT_EQ((Counts{0, 0}), CountsDuring([&] { ExpectSameProducts(A, MakeSample(kSquare, MATAIJ)); }));
  ExpectSameProducts(MakeSample(kSquare, root()), A);
}

/// MatHeaderReplace brings the other matrix's shadow to our header, with a format that was in step with a state which
/// ours can reach again.
TEST_P(Lifecycle, AFormatThatCameWithAnotherHeaderIsNotTrusted)
{
  const Owned<Mat> A = MakeSample(kSquare, root(), PETSC_COMM_SELF), reference = MakeSample(kSquare, MATAIJ, PETSC_COMM_SELF);
  Owned<Mat>       C = MakeSample(kSquare, root(), PETSC_COMM_SELF);
  PetscObjectState built_at;
  MultiplyOnce(C);
  Ok(PetscObjectStateGet((PetscObject)(Mat)C, &built_at));
  Ok(MatHeaderReplace(A, C.inout()));
  Ok(MatScale(A, 2));
  Ok(PetscObjectStateSet((PetscObject)(Mat)A, built_at));
  Ok(MatScale(reference, 2));
  ExpectSameProducts(A, reference);
}

TEST(SyncKey, EachPartCounts)
{
  const PetscInt  a[] = {0}, b[] = {0};
  const auto      key = [&] { return shadow::SyncKey{(Mat)a, 1, 2, 3, 4, a, a, 5, a}; };
  shadow::SyncKey k;
  EXPECT_TRUE(key().same_pattern(key()));
  EXPECT_TRUE(key().same_values(key()));
  EXPECT_FALSE((k = key(), k.owner = (Mat)b, k.same_pattern(key())));
  EXPECT_FALSE((k = key(), k.id++, k.same_pattern(key())));
  EXPECT_FALSE((k = key(), k.pattern++, k.same_pattern(key())));
  EXPECT_FALSE((k = key(), k.rows++, k.same_pattern(key())));
  EXPECT_FALSE((k = key(), k.cols++, k.same_pattern(key())));
  EXPECT_FALSE((k = key(), k.row_ptr = b, k.same_pattern(key())));
  EXPECT_FALSE((k = key(), k.col = b, k.same_pattern(key())));
  EXPECT_FALSE((k = key(), k.values++, k.same_values(key())));
  EXPECT_FALSE((k = key(), k.val = b, k.same_values(key())));
}

} // namespace
