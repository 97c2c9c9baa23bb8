/// Searches for the best options: each block has its own, and products stay right.

#include "glue/support/compare.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"
#include "glue/attach.hpp"
#include "glue/shadow.hpp"

using namespace petscspmv::test;
namespace shadow = petscspmv::shadow;

namespace {

/// On the host, also where there is a device: searches are for the host.
template <class Base> class OnHost : public Base {
  const OptionGuard host_{"-mat_spmv_vec_type", "standard"};
};
using Tune       = OnHost<TypeTest>;
using TuneMirror = OnHost<testing::Test>;
INSTANTIATE_TEST_SUITE_P(Types, Tune, EachType(), TypeName);

/// Of a sequential matrix, or of the diagonal block of a parallel one.
Mat Searched(Mat A)
{
  Mat blocks[2] = {A, nullptr};
  if (Ranks() > 1) Ok(shadow::GetBlocks(A, blocks));
  return blocks[0];
}

std::string ReportOf(Mat A)
{
  shadow::Entry e;
  Ok(shadow::EnterUnread(Searched(A), &e));
  return e.own->tuning.report;
}

TEST_P(Tune, ProductsStayRight)
{
  for (const PetscInt products : {0, 1, 50, 2000}) {
    const Owned<Mat> A = MakeSample(kHoley, root()), reference = MakeSample(kHoley, MATAIJ);
    Ok(MatSpMVTune(A, products));
    EXPECT_EQ(ReportOf(A).empty(), products == 0) << products;
    ExpectSameProducts(A, reference);
    Ok(MatScale(A, 2));
    Ok(MatScale(reference, 2));
    ExpectSameProducts(A, reference);
  }
}

TEST_P(Tune, TheOptionDoesItBeforeTheFirstProduct)
{
  const OptionGuard guard("-mat_spmv_tune", "30");
  const Owned<Mat>  A = MakeSample(kSquare, root());
  EXPECT_EQ(ReportOf(A), "");
  MultiplyOnce(A);
  const std::string report = ReportOf(A);
  EXPECT_NE(report, "");
  const std::string view = Viewed(A, PETSC_VIEWER_ASCII_INFO); // on all ranks
  EXPECT_TRUE(Rank() > 0 || view.find("tuned: " + report) != std::string::npos) << view;
  const Counts once = CountsOf(A);
  MultiplyOnce(A);
  EXPECT_EQ(CountsOf(A), once) << "one search, and no build after it";
  ExpectSameProducts(A, MakeSample(kSquare, MATAIJ));
}

TEST_P(Tune, ANewPatternIsSearchedAnew)
{
  const OptionGuard guard("-mat_spmv_tune", "30");
  const Owned<Mat>  A = MakeSample(kSquare, root());
  MultiplyOnce(A);
  const Counts before = CountsOf(A);
  Ok(MatSetOption(A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
  if (Rank() == 0) Ok(MatSetValue(A, 0, kSquare.cols / 2 + 1, 5, ADD_VALUES));
  Assemble(A);
  MultiplyOnce(A);
  if (Rank() == 0) { EXPECT_TRUE(CountsOf(A).builds > before.builds); } // PETSc 3.26 leaves blocks elsewhere as they are
}

TEST_P(Tune, RefusesWhatCannotBe)
{
  const Owned<Mat> A = MakeSample(kSquare, root());
  EXPECT_EQ(FailureOf([&] { return MatSpMVTune(A, -1); }).code, PETSC_ERR_ARG_OUTOFRANGE);
  const Owned<Mat> empty = CreateSample(kSquare, root());
  EXPECT_EQ(FailureOf([&] { return MatSpMVTune(empty, 10); }).code, PETSC_ERR_ARG_WRONGSTATE);
  const Owned<Mat> plain = MakeSample(kSquare, MATAIJ);
  EXPECT_EQ(FailureOf([&] { return MatSpMVTune(plain, 10); }).code, PETSC_ERR_ARG_WRONG);
}

// On the first rank one order is fast, on all others another one.
TEST_F(TuneMirror, EachRankChoosesItsOwn)
{
  const PetscInt   fast = Rank() == 0 ? 3 : 1;
  const Owned<Mat> A    = MakeSample(kSquare, "mirror");
  PetscInt         order;
  Journal().fast_order = (int)fast;
  Ok(MatSpMVTune(A, 500));
  Journal().fast_order = 0;
  Ok(MatSpMVGetOption(Searched(A), "order", &order));
  EXPECT_EQ(order, fast);
  ExpectSameProducts(A, MakeSample(kSquare, MATAIJ));
}

// Every build fails on one rank: nothing has been found there.
TEST_F(TuneMirror, WhereNothingCanBeBuiltNothingChanges)
{
  const Owned<Mat> A = MakeSample(kSquare, "mirror");
  if (Rank() == Ranks() - 1) Journal().build_fault = Fault::out_of_memory;
  Ok(MatSpMVTune(A, 200));
  Journal().build_fault = Fault::none;
  ExpectSameProducts(A, MakeSample(kSquare, MATAIJ));
}

} // namespace
