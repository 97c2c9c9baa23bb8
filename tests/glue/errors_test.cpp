/// What a format that cannot be built does to a matrix: products are PETSc's own, and a view says why.

#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"
#include "glue/door/attach.hpp"
#include "glue/door/registry.hpp"

using namespace petscspmv::test;

namespace {

struct Case : NamedCase {
  Fault       fault;
  const char *words;
};

class Errors : public JournalTest, public testing::WithParamInterface<Case> {
protected:
  static constexpr const char *root = "mirror";

  /// Products equal those of AIJ, and none is by the format. Transposed ones are plain CSR's in any case.
  static void ExpectParents(Mat A, Mat reference)
  {
    ExpectSameProducts(A, reference);
    EXPECT_EQ(0, ProductsDuring([&] { MultiplyOnce(A); }));
    EXPECT_TRUE(TypeOf(A).ends_with("aijmirror"));
  }
};
INSTANTIATE_TEST_SUITE_P(Faults, Errors,
                         testing::Values(Case{{"OutOfMemory"}, Fault::out_of_memory, "memory"},
                                         Case{{"MemoryError"}, Fault::memory_error, "3 bytes; use more processes"},
                                         Case{{"FormatError"}, Fault::format_error, "unlucky; take another one"},
                                         Case{{"RuntimeError"}, Fault::runtime_error, "the test has asked for this"}),
                         [](const auto &info) { return info.param.name; });

TEST_P(Errors, OfABuildLeaveProductsToAij)
{
  const Owned<Mat> A = MakeSample({24, 24, true, 5, false, true}, root), reference = MakeSample({24, 24, true, 5, false, true}, MATAIJ);
  Journal().build_fault = GetParam().fault;
  for (int again = 0; again < 2; ++again) ExpectParents(A, reference);
  EXPECT_EQ((Counts{0, 0}), CountsOf(A));
  ExpectSameEntries(A, reference);
  Journal().build_fault = Fault::none; // there is memory again
  ExpectParents(A, reference);         // the same matrix is not tried again with each product
  Ok(MatScale(A, 2));
  Ok(MatScale(reference, 2));
  ExpectSameProducts(A, reference);
  EXPECT_EQ((Counts{BlocksOf(A), 0}), CountsOf(A));
}

TEST_P(Errors, OfARefreshMakeTheFormatAnew)
{
  const Owned<Mat> A = MakeSample(kSquare, root), reference = MakeSample(kSquare, MATAIJ);
  MultiplyOnce(A);
  Ok(MatScale(A, 2));
  Ok(MatScale(reference, 2));
  Journal().refresh_fault = GetParam().fault;
  ExpectSameProducts(A, reference);
  Journal().refresh_fault = Fault::none;
  const Counts after      = CountsDuring([&] { ExpectSameProducts(A, reference); });
  EXPECT_EQ(after, (Counts{0, 0})) << "what was refreshed by half must not be used, and was built anew at once";
}

TEST_P(Errors, OfAProductWithSeveralVectorsLeaveItToAij)
{
  const Owned<Mat> A = MakeSample(kTall, root), reference = MakeSample(kTall, MATAIJ), B = MakeDense(A, false, 5, 1);
  Owned<Mat>       C, expected;
  Journal().multiply_fault = GetParam().fault;
  Ok(MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, C.out()));
  Ok(MatMatMult(reference, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, expected.out()));
  ExpectEqualDense(C, expected, "C");
  EXPECT_NE(std::string::npos, Journal().letters().find('m')) << "the format was asked";
  Journal().multiply_fault = Fault::none; // there is memory again
  EXPECT_EQ(1, ProductsDuring([&] { Ok(MatMatMult(A, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, C.inout())); }));
  ExpectEqualDense(C, expected, "C");
}

TEST_P(Errors, ASolverDoesNotNotice)
{
  const Owned<Mat> A = MakeSample({24, 24, true, 5, false, true}, root);
  Ok(MatShift(A, 50));
  Journal().build_fault = GetParam().fault;
  ExpectSolved(A, PCJACOBI);
}

TEST_P(Errors, AViewSaysWhyAndGoesOn)
{
  const Owned<Mat> A    = MakeSample(kSquare, root);
  Journal().build_fault = GetParam().fault;
  for (PetscViewerFormat format : {PETSC_VIEWER_ASCII_INFO, PETSC_VIEWER_ASCII_INFO_DETAIL}) {
    const std::string text = Viewed(A, format);
    if (Rank() > 0) continue;
    const bool blocks = BlocksOf(A) == 2, detail = format == PETSC_VIEWER_ASCII_INFO_DETAIL;
    if (blocks) { EXPECT_NE(std::string::npos, text.find(std::to_string(2 * Ranks()) + " blocks could not be built")) << text; }
    if (!blocks || detail) {
      EXPECT_NE(std::string::npos, text.find("not built: ")) << text;
      EXPECT_NE(std::string::npos, text.find(GetParam().words)) << text;
    }
    EXPECT_NE(std::string::npos, text.find("rows=24, cols=24")) << text;
  }
}

TEST(Refusals, ATypeThatIsNoneOfOurs)
{
  const Owned<Mat> A = MakeSample(kSquare, MATAIJ, PETSC_COMM_SELF), sell = [&] {
    Owned<Mat> B;
    Ok(MatConvert(A, MATSEQSELL, MAT_INITIAL_MATRIX, B.out()));
    return B;
  }();
  const Failure failure = FailureOf([&] { return petscspmv::shadow::ShadowAttach(sell, *petscspmv::shadow::FindKind("mirror")); });
  EXPECT_EQ(PETSC_ERR_ARG_WRONG, failure.code);
  for (const char *part : {"seqsell", "mirror", "MatConvert()"})
    EXPECT_NE(std::string::npos, failure.message.find(part)) << failure.message;
}

TEST(Refusals, NamesThatAreNotOurs)
{
  EXPECT_EQ(nullptr, petscspmv::shadow::FindKind(nullptr));
  EXPECT_EQ(nullptr, petscspmv::shadow::FindKind(MATSEQAIJ));
  EXPECT_EQ(nullptr, petscspmv::shadow::FindKind("seqaijmirr"));
}

} // namespace
