/// -mat_seqaij_type: every sequential AIJ matrix in a program that names AIJ, the blocks of parallel ones and factors
/// included.

#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"
#include "glue/door/registry.hpp"

using namespace petscspmv::test;
namespace shadow = petscspmv::shadow;

namespace {

class SeqAIJType : public TypeTest {
protected:
  /// The sequential matrices that make up A on this rank.
  static std::vector<Mat> parts(Mat A)
  {
    if (BlocksOf(A) == 1) return {A};
    std::vector<Mat> blocks(2);
    Ok(MatMPIAIJGetSeqAIJ(A, blocks.data(), blocks.data() + 1, NULL));
    return blocks;
  }
  static void ExpectPartsOfType(Mat A, const std::string &type)
  {
    for (Mat part : parts(A)) EXPECT_EQ(type, TypeOf(part));
  }
};
INSTANTIATE_TEST_SUITE_P(Types, SeqAIJType, EachType(), TypeName);

TEST_P(SeqAIJType, ServesProgramsThatNameAij)
{
  const Owned<Mat>  reference = MakeSample(kSquare, MATAIJ);
  const OptionGuard guard("-mat_seqaij_type", seq()), threads("-mat_spmv_threads", "3");
  Owned<Mat>        A;
  Ok(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 24, 24, 24, NULL, 24, NULL, A.out()));
  SetSampleValues(A, kSquare);
  EXPECT_EQ(Ranks() > 1 ? MATMPIAIJ : seq_type(), TypeOf(A));
  ExpectPartsOfType(A, seq_type());
  EXPECT_EQ((Counts{(PetscInt)parts(A).size(), 0}), CountsDuring([&] { ExpectSameProducts(A, reference); }));
  for (Mat part : parts(A)) {
    PetscInt value;
    Ok(MatSpMVGetOption(part, "threads", &value));
    EXPECT_EQ(3, value);
  }
  Ok(MatScale(A, 2));
  Ok(MatScale(reference, 2));
  EXPECT_EQ((Counts{0, (PetscInt)parts(A).size()}), CountsDuring([&] { ExpectSameProducts(A, reference); }));
}

/// -mat_type ours together with another -mat_seqaij_type, one of ours or one of PETSc's.
TEST_P(SeqAIJType, YieldsToTheTypeThatTheMatrixAsksFor)
{
  const Owned<Mat>         reference = MakeSample(kSquare, MATAIJ);
  std::vector<std::string> others{MATSEQAIJ, MATSEQAIJPERM, MATSEQAIJSELL};
  for (const std::string &name : TypeNames()) others.push_back(shadow::FindKind(name.c_str())->seq);
  for (const std::string &other : others) {
    SCOPED_TRACE(other);
    const OptionGuard guard("-mat_seqaij_type", other), type("-mat_type", root());
    Owned<Mat>        A, B;
    Ok(MatCreate(PETSC_COMM_WORLD, A.out()));
    Ok(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, 24, 24));
    Ok(MatSetFromOptions(A));
    Ok(MatSetUp(A));
    Ok(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    SetSampleValues(A, kSquare);
    EXPECT_EQ(world_type(), TypeOf(A));
    ExpectPartsOfType(A, seq_type());
    EXPECT_EQ((Counts{(PetscInt)parts(A).size(), 0}), CountsDuring([&] { ExpectSameProducts(A, reference); }));
    Ok(MatDuplicate(A, MAT_COPY_VALUES, B.out()));
    Ok(MatConvert(B, MATAIJ, MAT_INPLACE_MATRIX, B.inout()));
    ExpectSameProducts(B, reference);
  }
}

/// MatConvert asks a new matrix of the wanted type for a converter, and a new seqaij is ours here.
TEST_P(SeqAIJType, DoesNotDisturbConversionsToAij)
{
  const Owned<Mat>         reference = MakeSample(kSquare, MATAIJ);
  std::vector<std::string> others{MATAIJ, MATBAIJ, MATDENSE, MATSELL, MATAIJPERM, MATSHELL, root()};
  for (const std::string &other : others)
    for (const std::string &to : {std::string(MATAIJ), TypeOf(reference)})
      for (MatReuse reuse : {MAT_INITIAL_MATRIX, MAT_INPLACE_MATRIX}) {
        SCOPED_TRACE(other + " to " + to);
        const PetscInt owners = References((Mat)reference);
        Owned<Mat>     X;
        Ok(MatConvert(reference, other.c_str(), MAT_INITIAL_MATRIX, X.out()));
        const OptionGuard guard("-mat_seqaij_type", seq());
        Mat               B = reuse == MAT_INPLACE_MATRIX ? (Mat)X : nullptr;
        Ok(MatConvert(X, to.c_str(), reuse, &B));
        EXPECT_TRUE(TypeOf(B).starts_with(Ranks() > 1 ? MATMPIAIJ : MATSEQAIJ)) << TypeOf(B);
        if (other != MATSELL) ExpectSameProducts(B, reference); // of parallel SELL, PETSc 3.18 makes an empty matrix
        if (reuse == MAT_INITIAL_MATRIX) Ok(MatDestroy(&B));
        // A shell that is converted in place forgets the matrix it stood for, also if all are aij.
        if (other == MATSHELL && reuse == MAT_INPLACE_MATRIX) RestoreReferences((Mat)reference, owners);
      }
}

/// A symmetric, diagonally dominant matrix.
Owned<Mat> Dominant(const std::string &type, MPI_Comm comm = PETSC_COMM_WORLD)
{
  Owned<Mat> A = MakeSample(kSymmetric, type, comm);
  Ok(MatShift(A, 150));
  if (!PetscDefined(USE_COMPLEX)) Ok(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  return A;
}

/// The result of one application of a preconditioner, and the factor if the preconditioner has one.
Owned<Vec> Apply(Mat A, PCType type, Mat *factor, Owned<KSP> &ksp)
{
  const Owned<Vec> b = OutputOf(A, ProductKinds()[0]);
  Owned<Vec>       x = InputOf(A, ProductKinds()[0]);
  PC               pc;
  SetSmallIntegers(b, 3);
  ksp = MakeSolver(A, type, KSPPREONLY);
  Ok(KSPGetPC(ksp, &pc));
  Ok(KSPSolve(ksp, b, x));
  Ok(PCFactorGetMatrix(pc, factor));
  return x;
}

TEST_P(SeqAIJType, Factors)
{
  for (PCType type : {PCILU, PCLU, PCICC, PCCHOLESKY}) {
    SCOPED_TRACE(type);
    Owned<KSP>        ksp, expected_ksp;
    Mat               factor, expected_factor;
    const Owned<Mat>  reference = Dominant(MATAIJ, PETSC_COMM_SELF);
    const Owned<Vec>  expected  = Apply(reference, type, &expected_factor, expected_ksp);
    const OptionGuard guard("-mat_seqaij_type", seq());
    const Owned<Mat>  A = Dominant(MATSEQAIJ, PETSC_COMM_SELF);
    EXPECT_EQ(seq_type(), TypeOf(A));
    ExpectSameVectors(Apply(A, type, &factor, ksp), expected, type);
    // A factor's arrays are no matrix to multiply with.
    std::string text;
    EXPECT_EQ((Counts{0, 0}), CountsDuring([&] { text = Viewed(factor, PETSC_VIEWER_ASCII_INFO); }));
    EXPECT_EQ(std::string::npos, text.find("petscspmv")) << text;
    ExpectSameProducts(A, reference);
  }
}

TEST_P(SeqAIJType, SolversCanBeViewed)
{
  const OptionGuard guard("-mat_seqaij_type", seq());
  for (PCType type : {PCBJACOBI, PCASM, PCGAMG}) {
    const Owned<Mat>   A = Dominant(MATAIJ);
    const Owned<Vec>   b = OutputOf(A, ProductKinds()[0]), x = InputOf(A, ProductKinds()[0]);
    const Owned<KSP>   ksp = MakeSolver(A, type);
    Owned<PetscViewer> viewer;
    Ok(VecSet(b, 1));
    Ok(KSPSolve(ksp, b, x));
    Ok(PetscViewerASCIIOpen(PETSC_COMM_WORLD, "/dev/null", viewer.out()));
    Ok(PetscViewerPushFormat(viewer, PETSC_VIEWER_ASCII_INFO_DETAIL));
    Ok(KSPView(ksp, viewer));
  }
}

/// The matrices of the solvers inside a preconditioner, which has been set up.
std::vector<Mat> InnerMatrices(PC pc)
{
  KSP              *ksps = nullptr;
  PetscInt          n    = 0;
  const std::string type = ((PetscObject)pc)->type_name;
  std::vector<Mat>  all;
  if (type == PCBJACOBI) Ok(PCBJacobiGetSubKSP(pc, &n, NULL, &ksps));
  if (type == PCASM) Ok(PCASMGetSubKSP(pc, &n, NULL, &ksps));
  if (type == PCFIELDSPLIT) Ok(PCFieldSplitGetSubKSP(pc, &n, &ksps));
  for (PetscInt i = 0; i < n; ++i) Ok(KSPGetOperators(ksps[i], &all.emplace_back(), NULL));
  if (type == PCFIELDSPLIT) Ok(PetscFree(ksps));
  return all;
}

/// They have a prefix, "sub_" or "fieldsplit_0_", before their first product, and those who give an option without one
/// mean them, too.
TEST_P(SeqAIJType, OptionsReachTheMatricesInsidePreconditioners)
{
  const OptionGuard guard("-mat_seqaij_type", seq()), threads("-mat_spmv_threads", "3"), inner("-sub_ksp_type", "gmres"),
    inner_field("-fieldsplit_ksp_type", "gmres");
  for (PCType type : {PCBJACOBI, PCASM, PCFIELDSPLIT}) {
    SCOPED_TRACE(type);
    const Owned<Mat> A = Dominant(MATAIJ);
    const Owned<Vec> b = OutputOf(A, ProductKinds()[0]), x = InputOf(A, ProductKinds()[0]);
    const Owned<KSP> ksp = MakeSolver(A, type);
    Owned<IS>        half[2];
    PetscInt         first, last;
    PC               pc;
    Ok(VecSet(b, 1));
    Ok(KSPGetPC(ksp, &pc));
    Ok(MatGetOwnershipRange(A, &first, &last));
    for (PetscInt i = 0; i < 2; ++i) {
      Ok(ISCreateStride(PETSC_COMM_WORLD, (last - first + 1 - i) / 2, first + i, 2, half[i].out()));
      if (type == std::string(PCFIELDSPLIT)) Ok(PCFieldSplitSetIS(pc, std::to_string(i).c_str(), half[i]));
    }
    Ok(KSPSetFromOptions(ksp));
    Ok(KSPSolve(ksp, b, x));
    const std::vector<Mat> matrices = InnerMatrices(pc);
    EXPECT_FALSE(matrices.empty());
    for (Mat inside : matrices)
      for (Mat part : parts(inside)) {
        PetscInt value;
        ASSERT_EQ(seq_type(), TypeOf(part));
        Ok(MatSpMVGetOption(part, "threads", &value));
        EXPECT_EQ(3, value);
      }
  }
}

/// MatLUFactor puts the factor into the header of the matrix itself.
TEST_P(SeqAIJType, FactorsInPlace)
{
  for (bool as_option : {false, true}) {
    const Owned<Mat>  reference = Dominant(MATAIJ, PETSC_COMM_SELF);
    const OptionGuard guard("-mat_seqaij_type", as_option ? seq() : std::string(MATSEQAIJ));
    const Owned<Mat>  A = Dominant(root(), PETSC_COMM_SELF);
    const Owned<Vec>  b = OutputOf(A, ProductKinds()[0]), x = InputOf(A, ProductKinds()[0]), expected = InputOf(A, ProductKinds()[0]);
    Owned<IS>         row, col;
    SetSmallIntegers(b, 3);
    MultiplyOnce(A);
    for (Mat mat : {(Mat)A, (Mat)reference}) {
      Ok(MatGetOrdering(mat, MATORDERINGNATURAL, row.out(), col.out()));
      Ok(MatLUFactor(mat, row, col, NULL));
    }
    Ok(MatSolve(A, b, x));
    Ok(MatSolve(reference, b, expected));
    ExpectSameVectors(x, expected, "solution");
    EXPECT_EQ(std::string::npos, Viewed(A, PETSC_VIEWER_ASCII_INFO).find("petscspmv"));
  }
}

} // namespace
