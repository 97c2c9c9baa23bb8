/// -mat_seqaij_type: programs that know only AIJ, where every seqaij is of a type of ours, also those that PETSc makes for itself.

#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"

using namespace petscspmv::test;

namespace {

class SeqAIJOption : public TypeTest {
protected:
  const OptionGuard option{"-mat_seqaij_type", seq()};
};
INSTANTIATE_TEST_SUITE_P(Types, SeqAIJOption, EachType(), TypeName);

// MatConvert asks a new seqaij for a converter, and that is ours here.
TEST_P(SeqAIJOption, ConvertsToAIJ)
{
  const Owned<Mat> A = MakeSample(kSquare, MATAIJ, PETSC_COMM_SELF);
  EXPECT_EQ(seq(), TypeOf(A));
  for (const char *from : {MATSEQAIJ, MATSEQBAIJ, MATSEQDENSE}) {
    for (const char *to : {MATSEQAIJ, MATAIJ}) {
      SCOPED_TRACE(std::string(from) + " to " + to);
      Owned<Mat> B, C;
      Ok(MatConvert(A, from, MAT_INITIAL_MATRIX, B.out()));
      Ok(MatConvert(B, to, MAT_INITIAL_MATRIX, C.out()));
      ExpectSameProducts(C, A);
      Ok(MatConvert(B, to, MAT_INPLACE_MATRIX, B.inout()));
      ExpectSameProducts(B, A);
    }
  }
}

// A factor has PETSc's own layout in the arrays of an AIJ matrix: nothing for a format to be built from, even to be looked at.
TEST_P(SeqAIJOption, FactorsAreViewedAsAIJ)
{
  const Owned<Mat> A = MakeSample(kSquare, MATAIJ, PETSC_COMM_SELF);
  Owned<Mat>       F;
  Owned<IS>        rows, cols;
  MatFactorInfo    info;
  Ok(MatGetOrdering(A, MATORDERINGNATURAL, rows.out(), cols.out()));
  Ok(MatGetFactor(A, MATSOLVERPETSC, MAT_FACTOR_LU, F.out()));
  Ok(MatFactorInfoInitialize(&info));
  Ok(MatLUFactorSymbolic(F, A, rows, cols, &info));
  Ok(MatLUFactorNumeric(F, A, &info));
  EXPECT_EQ(std::string::npos, Viewed(F, PETSC_VIEWER_ASCII_INFO).find("petscspmv"));
}

} // namespace
