/// -mat_spmv and MatSpMVSetMethod(): any AIJ matrix of a program multiplies by a method and stays what it is.

#include <array>
#include <functional>

#include "glue/support/compare.hpp"
#include "glue/support/head_starts.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"
#include "glue/door/attach.hpp"

using namespace petscspmv::test;
namespace shadow = petscspmv::shadow;

namespace {

class Attached : public TypeTest {
protected:
  static std::string method(Mat A)
  {
    const char *name;
    Ok(MatSpMVGetMethod(A, &name));
    return name;
  }
  /// The type of PETSc's that is attached.
  static std::string aij() { return ParentOf(root()); }
  static std::string sequential() { return "seq" + aij(); }
  static std::string plain() { return Ranks() > 1 ? "mpi" + aij() : sequential(); }

  /// That A is plain AIJ by name, equals `reference`, and that each product of its parts is ours.
  static void ExpectOurs(Mat A, Mat reference)
  {
    EXPECT_EQ(TypeOf(A), TypeOf(reference));
    EXPECT_EQ(method(A), root());
    ExpectSameProducts(A, reference);
    Ok(shadow::ForEachPart(A, [](Mat part) {
      EXPECT_EQ(method(part), root());
      EXPECT_EQ(TypeOf(part), sequential());
      return PETSC_SUCCESS;
    }));
  }
};
INSTANTIATE_TEST_SUITE_P(Types, Attached, EachType(), TypeName);

/// A product of a parallel matrix is one of each block.
TEST_P(Attached, EveryProductIsOurs)
{
  const Owned<Mat>  reference = MakeSample(kSquare, aij());
  const OptionGuard guard("-mat_spmv", root());
  const Owned<Mat>  A = MakeSample(kSquare, aij());
  ExpectOurs(A, reference);
  EXPECT_EQ(5 * BlocksOf(A), ProductsDuring([&] {
              for (int k = 0; k < 5; ++k) MultiplyOnce(A);
            }));
}

/// How often this rank has logged the events of vectors that products of PETSc's log: with -log_sync, all ranks wait
/// for each other in them.
std::array<int, 2> LoggedOfVectors()
{
  return {EventInfo("VecSet").count, EventInfo("VecCopy").count};
}

// A rank whose blocks are left to AIJ beside others that we multiply.
TEST_P(Attached, LogsWhatTheOtherRanksLog)
{
  if (Ranks() == 1) return;
  const HeadStarts  none_is_left_otherwise;
  const OptionGuard guard("-mat_spmv", root()), none_but_the_empty("-mat_spmv_tiny", "0");
  Sample            sample = kSquare;
  sample.layout            = Layout::first_rank_empty;
  const Owned<Mat> A       = MakeSample(sample, aij());
  Owned<Vec>       x, y, z;
  Ok(MatCreateVecs(A, x.out(), y.out()));
  Ok(VecDuplicate(y, z.out()));
  Ok(VecSet(x, 1));
  Ok(VecSet(y, 2));
  const auto logs = [](const std::function<void()> &product) {
    const auto before = LoggedOfVectors();
    product();
    auto least = LoggedOfVectors(), most = least;
    for (std::size_t i = 0; i < most.size(); ++i) least[i] = most[i] -= before[i];
    MPI_Allreduce(MPI_IN_PLACE, least.data(), (int)least.size(), MPI_INT, MPI_MIN, PETSC_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, most.data(), (int)most.size(), MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
    return least == most;
  };
  for (int time = 0; time < 2; ++time) {
    EXPECT_TRUE(logs([&] { Ok(MatMult(A, x, z)); }));
    EXPECT_TRUE(logs([&] { Ok(MatMultAdd(A, x, y, z)); }));
    EXPECT_TRUE(logs([&] { Ok(MatMultAdd(A, x, z, z)); }));
    EXPECT_TRUE(logs([&] { Ok(MatMultTranspose(A, x, z)); }));
    EXPECT_TRUE(logs([&] { Ok(MatMultTransposeAdd(A, x, y, z)); }));
    EXPECT_TRUE(logs([&] { Ok(MatMultTransposeAdd(A, x, z, z)); }));
  }
}

TEST_P(Attached, NoneIsPlainAij)
{
  const OptionGuard guard("-mat_spmv", "none");
  const Owned<Mat>  A = MakeSample(kSquare, aij());
  EXPECT_EQ(method(A), "none");
  EXPECT_EQ(CountsDuring([&] { MultiplyOnce(A); }), Counts{});
}

TEST_P(Attached, FollowsNewValuesAndNewPatterns)
{
  const Owned<Mat>  reference = MakeSample(kSquare, aij());
  const OptionGuard guard("-mat_spmv", root());
  const Owned<Mat>  A = MakeSample(kSquare, aij());
  ExpectOurs(A, reference);
  Ok(MatScale(A, 2));
  Ok(MatScale(reference, 2));
  EXPECT_EQ(CountsDuring([&] { ExpectSameProducts(A, reference); }), (Counts{0, BlocksOf(A)}));
  for (Mat mat : {(Mat)A, (Mat)reference}) {
    Ok(MatSetOption(mat, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
    if (Rank() == 0) Ok(MatSetValue(mat, 0, kSquare.cols / 2 + 1, 5, ADD_VALUES));
    Assemble(mat);
  }
  ExpectOurs(A, reference);
}

TEST_P(Attached, MatricesMadeFromOthersAreOursToo)
{
  const Owned<Mat>  reference = MakeSample(kSquare, aij()), other = MakeSample({24, 9, false}, aij());
  const OptionGuard guard("-mat_spmv", root());
  const Owned<Mat>  A = MakeSample(kSquare, aij()), P = MakeSample({24, 9, false}, aij());
  Owned<Mat>        made, expected;
  Ok(MatDuplicate(A, MAT_COPY_VALUES, made.out()));
  ExpectOurs(made, reference);
  Ok(MatTranspose(P, MAT_INITIAL_MATRIX, made.out()));
  Ok(MatTranspose(other, MAT_INITIAL_MATRIX, expected.out()));
  ExpectOurs(made, expected);
  Ok(MatPtAP(A, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, made.out()));
  Ok(MatPtAP(reference, other, MAT_INITIAL_MATRIX, PETSC_DEFAULT, expected.out()));
  ExpectOurs(made, expected);
  Ok(MatAXPY(made, 2, made, SAME_NONZERO_PATTERN));
  Ok(MatAXPY(expected, 2, expected, SAME_NONZERO_PATTERN));
  ExpectOurs(made, expected);
  Ok(MatDuplicate(A, MAT_COPY_VALUES, made.out()));
  Ok(MatDuplicate(reference, MAT_COPY_VALUES, expected.out()));
  for (Mat mat : {(Mat)made, (Mat)expected}) { // another pattern: PETSc puts a new matrix into the header
    const Owned<Mat> more = MakeSample({24, 24, true, 3, false, true}, aij());
    Ok(MatAXPY(mat, 1, more, DIFFERENT_NONZERO_PATTERN));
  }
  ExpectOurs(made, expected);
}

TEST_P(Attached, CooAssembly)
{
  const Owned<Mat>  reference = MakeSample(kSquare, aij());
  Coordinates       c(kSquare, reference);
  const OptionGuard guard("-mat_spmv", root());
  const Owned<Mat>  A = Sized(aij(), kSquare.rows, kSquare.cols);
  Ok(MatSetPreallocationCOO(A, (PetscCount)c.rows.size(), c.rows.data(), c.cols.data()));
  for (int k = 0; k < 3; ++k) {
    Ok(MatSetValuesCOO(A, c.values.data(), k == 0 ? INSERT_VALUES : ADD_VALUES));
    ExpectOurs(A, reference);
    Ok(MatScale(reference, (k + 2.0) / (k + 1)));
  }
}

TEST_P(Attached, ProductsWithDenseMatrices)
{
  const Owned<Mat>  reference = MakeSample(kSquare, aij());
  const OptionGuard guard("-mat_spmv", root());
  const Owned<Mat>  A = MakeSample(kSquare, aij());
  Owned<Mat>        B, C, expected;
  Ok(MatCreateDense(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, kSquare.cols, 3, NULL, B.out()));
  Ok(MatSetRandom(B, NULL));
  Ok(MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, C.out()));
  Ok(MatMatMult(reference, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, expected.out()));
  PetscReal norm;
  Ok(MatAXPY(C, -1, expected, SAME_NONZERO_PATTERN));
  Ok(MatNorm(C, NORM_FROBENIUS, &norm));
  EXPECT_LT(norm, 1e-9);
}

// However it was given: no option gives it to these.
TEST_P(Attached, SubmatricesHaveTheMethod)
{
  const Owned<Mat> A = MakeSample(kSquare, aij()), reference = MakeSample(kSquare, aij());
  const Owned<Mat> on_host = MakeSample(kSquare, MATAIJ); // of a device's, PETSc gives old values again
  Owned<IS>        of_rank, everywhere;
  Owned<Mat>       part, expected;
  PetscInt         first, last;
  Mat             *parts, *expected_parts;
  Ok(MatSpMVSetMethod(A, root().c_str()));
  Ok(MatGetOwnershipRange(A, &first, &last));
  Ok(ISCreateStride(PETSC_COMM_WORLD, last - first - 1, first, 1, of_rank.out()));
  Ok(ISCreateStride(PETSC_COMM_SELF, 8, 3, 2, everywhere.out()));
  for (const MatReuse reuse : {MAT_INITIAL_MATRIX, MAT_REUSE_MATRIX}) {
    const IS rows = everywhere;
    Ok(MatCreateSubMatrix(A, of_rank, of_rank, reuse, part.inout()));
    Ok(MatCreateSubMatrix(reference, of_rank, of_rank, reuse, expected.inout()));
    ExpectOurs(part, expected);
    Ok(MatCreateSubMatrices(A, 1, &rows, &rows, reuse, &parts));
    Ok(MatCreateSubMatrices(on_host, 1, &rows, &rows, reuse, &expected_parts));
    EXPECT_EQ(method(parts[0]), root());
    EXPECT_EQ(TypeOf(parts[0]), sequential());
    ExpectSameProducts(parts[0], expected_parts[0]);
    for (Mat mat : {(Mat)A, (Mat)reference, (Mat)on_host}) Ok(MatScale(mat, 2));
  }
  Ok(MatDestroySubMatrices(1, &parts));
  Ok(MatDestroySubMatrices(1, &expected_parts));
}

TEST_P(Attached, PrefixesChooseMatrices)
{
  const OptionGuard guard("-a_mat_spmv", root());
  const Owned<Mat>  reference = MakeSample(kSquare, aij()), A = CreateSample(kSquare, aij());
  Ok(MatSetOptionsPrefix(A, "a_"));
  EXPECT_EQ(method(A), "none");
  Ok(MatSetFromOptions(A)); // after preallocation
  SetSampleValues(A, kSquare);
  ExpectOurs(A, reference);
  EXPECT_EQ(method(reference), "none");
}

TEST_P(Attached, OtherSubtypesOfAijStayWhatTheyAre)
{
  const Owned<Mat>  reference = MakeSample(kSquare, aij());
  const OptionGuard guard("-mat_spmv", root());
  Owned<Mat>        A = CreateSample(kSquare, MATAIJPERM);
  Ok(MatSetFromOptions(A));
  SetSampleValues(A, kSquare);
  ExpectSameProducts(A, reference);
  EXPECT_EQ(method(A), "none");
}

TEST_P(Attached, MethodsCanBeSetAndTakenAway)
{
  const Owned<Mat> A = MakeSample(kSquare, aij()), reference = MakeSample(kSquare, aij());
  MultiplyOnce(A);
  Ok(MatSpMVSetMethod(A, root().c_str()));
  ExpectOurs(A, reference);
  Owned<Mat> copy;
  Ok(MatDuplicate(A, MAT_COPY_VALUES, copy.out()));
  ExpectOurs(copy, reference);
  Ok(MatSpMVSetMethod(A, "aijlight"));
  EXPECT_EQ(method(A), "aijlight");
  ExpectSameProducts(A, reference);
  Ok(MatSpMVSetMethod(A, "none"));
  EXPECT_EQ(method(A), "none");
  EXPECT_EQ(CountsDuring([&] { ExpectSameProducts(A, reference); }), Counts{});
}

TEST_P(Attached, ConversionsAreThoseOfAij)
{
  const Owned<Mat>  reference = MakeSample(kSquare, aij());
  const OptionGuard guard("-mat_spmv", root());
  for (const char *type : {MATBAIJ, MATDENSE, MATAIJPERM}) {
    const Owned<Mat> A = MakeSample(kSquare, aij());
    Owned<Mat>       B, back;
    Ok(MatConvert(A, type, MAT_INITIAL_MATRIX, B.out()));
    ExpectSameProducts(B, reference);
    Ok(MatConvert(B, aij().c_str(), MAT_INITIAL_MATRIX, back.out()));
    ExpectSameProducts(back, reference);
    ExpectOurs(A, reference);
  }
  // On a device, PETSc sets all operations anew.
  for (const MatReuse reuse : {MAT_INITIAL_MATRIX, MAT_INPLACE_MATRIX}) {
    Owned<Mat> A = MakeSample(kSquare, MATAIJ), converted;
    Ok(MatConvert(A, aij().c_str(), reuse, reuse == MAT_INPLACE_MATRIX ? A.inout() : converted.out()));
    ExpectOurs(reuse == MAT_INPLACE_MATRIX ? A : converted, reference);
  }
}

/// How often PETSc's log has seen products of any kind on this rank: ours, and all.
struct Logged {
  int ours       = EventInfo("MatSpMVProduct").count;
  int forward    = EventInfo("MatMult").count + EventInfo("MatMultAdd").count;
  int transpose  = EventInfo("MatMultTranspose").count + EventInfo("MatMultTrAdd").count;
  int of_several = EventInfo("MatMatMultNum").count; ///< among which are those of PCGAMG's set-up with a column
};

/// Each product that PETSc logs, whichever matrix of a solver's it is of, is one of ours, or one of each block of ours.
/// On a device the first transposed products of a matrix are the parent's.
TEST_P(Attached, EveryProductOfASolverIsOurs)
{
  const OptionGuard guard("-mat_spmv", root()), levels("-pc_gamg_coarse_eq_limit", "20");
  for (PCType type : {PCNONE, PCJACOBI, PCBJACOBI, PCASM, PCSOR, PCGAMG}) {
    SCOPED_TRACE(type);
    const Owned<Mat> A = Stencil(aij(), 24);
    const Logged     before;
    ExpectSolved(A, type);
    EXPECT_EQ(TypeOf(A), plain());
    const Logged after;
    const auto   ours = after.ours - before.ours, forward = (after.forward - before.forward) * (int)BlocksOf(A),
               transpose = (after.transpose - before.transpose) * (int)BlocksOf(A);
    EXPECT_GT(forward, 0);
    EXPECT_LE(ours, forward + transpose + after.of_several - before.of_several);
    EXPECT_GE(ours, LivesOnDevice(root()) ? forward : forward + transpose);
  }
}

TEST_P(Attached, AViewNamesTheMethod)
{
  const OptionGuard guard("-mat_spmv", root());
  const Owned<Mat>  A    = MakeSample(kSquare, aij());
  const std::string text = Viewed(A, PETSC_VIEWER_ASCII_INFO);
  EXPECT_EQ(text.find("petscspmv " + root()) != std::string::npos, Rank() == 0) << text;
  EXPECT_EQ(text.find(std::string("type: ") + plain()) != std::string::npos, Rank() == 0) << text;
}

TEST(AttachedRefusals, AMethodThatThereIsNot)
{
  const Owned<Mat> A       = MakeSample(kSquare, MATAIJ);
  const Failure    failure = FailureOf([&] { return MatSpMVSetMethod(A, "fast"); });
  EXPECT_EQ(failure.code, PETSC_ERR_ARG_UNKNOWN_TYPE);
  for (const char *part : {"'fast'", "ccoo", "auto", "none"}) ExpectContains(failure.message, part);
  const OptionGuard guard("-mat_spmv", "fast");
  EXPECT_EQ(FailureOf([] {
              Owned<Mat> B;
              Ok(MatCreate(PETSC_COMM_WORLD, B.out()));
              return MatSetType(B, MATAIJ);
            }).code,
            PETSC_ERR_ARG_UNKNOWN_TYPE);
}

TEST(AttachedRefusals, AMatrixThatIsNotAij)
{
  const Owned<Mat> A       = Sized(MATDENSE, 4, 4);
  const Failure    failure = FailureOf([&] { return MatSpMVSetMethod(A, "ccoo"); });
  EXPECT_EQ(failure.code, PETSC_ERR_ARG_WRONG);
  EXPECT_NE(failure.message.find("MatConvert()"), std::string::npos) << failure.message;
}

} // namespace
