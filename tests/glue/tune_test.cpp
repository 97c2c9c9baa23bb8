/// Searches for the best options: each block has its own, products stay right, and the cache is a help and never a
/// condition.

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "glue/support/compare.hpp"
#include "glue/support/head_starts.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"
#include "glue/shadow.hpp"

using namespace petscspmv::test;
namespace shadow = petscspmv::shadow;

namespace {

/// Each test has a folder for its cache. On the host, also where there is a device: searches are for the host.
template <class Base> class TuneTest : public Base {
  const OptionGuard host_{"-mat_spmv_vec_type", "standard"};

protected:
  void SetUp() override
  {
    Base::SetUp();
    char        name[] = "/tmp/petscspmv_tune_XXXXXX";
    const char *folder = mkdtemp(name);
    ASSERT_TRUE(folder);
    folder_           = folder;
    const char *given = std::getenv("XDG_CACHE_HOME");
    before_           = given ? given : "";
    setenv("XDG_CACHE_HOME", folder, 1);
  }
  void TearDown() override
  {
    if (before_.empty()) unsetenv("XDG_CACHE_HOME");
    else setenv("XDG_CACHE_HOME", before_.c_str(), 1);
    std::filesystem::remove_all(folder_);
    Base::TearDown();
  }

  std::string cache() const { return folder_ + "/petscspmv/tuning.jsonl"; }

  /// Of a sequential matrix, or of the diagonal block of a parallel one.
  static Mat Searched(Mat A)
  {
    Mat blocks[2] = {A, nullptr};
    if (Ranks() > 1) Ok(shadow::GetBlocks(A, blocks));
    return blocks[0];
  }
  static std::string ReportOf(Mat A)
  {
    shadow::Shadow *s;
    Ok(shadow::ShadowGet(Searched(A), &s));
    return s->tuning.report;
  }

  std::string folder_, before_;
};

using TuneAuto   = TuneTest<testing::Test>;
using TuneMirror = TuneTest<testing::Test>;

class Tune : public TuneTest<TypeTest> {
protected:
  /// A search is no answer for the next one if `more` is written behind `mark` into what the cache keeps of it.
  void ExpectASearchAfter(const std::string &mark, const std::string &more) const
  {
    const Owned<Mat> A = MakeSample(kSquare, root());
    Ok(MatSpMVTune(A, 500));
    std::string text;
    {
      std::ifstream file(cache());
      std::getline(file, text);
    }
    const auto at = text.find(mark);
    ASSERT_NE(at, std::string::npos) << text;
    std::ofstream(cache()) << text.insert(at + mark.size(), more) << "\n";
    const Owned<Mat> B = MakeSample(kSquare, root());
    Ok(MatSpMVTune(B, 500));
    EXPECT_EQ(ReportOf(B).find("found before"), std::string::npos);
  }
};
INSTANTIATE_TEST_SUITE_P(Types, Tune, EachType(), TypeName);

TEST_P(Tune, ProductsStayRight)
{
  for (const PetscInt products : {0, 1, 50, 2000}) {
    const Owned<Mat> A = MakeSample(kHoley, root()), reference = MakeSample(kHoley, MATAIJ);
    Ok(MatSpMVTune(A, products));
    EXPECT_NE(ReportOf(A), "") << products;
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

TEST_P(Tune, TheSameMatrixNextTimeNeedsNoSearch)
{
  const Owned<Mat> A = MakeSample(kSquare, root());
  Ok(MatSpMVTune(A, 500));
  EXPECT_TRUE(std::filesystem::exists(cache()));
  const Owned<Mat> B = MakeSample(kSquare.with_seed(7), root());
  Ok(MatSpMVTune(B, 500));
  EXPECT_NE(ReportOf(B).find("found before"), std::string::npos) << ReportOf(B);
  ExpectSameProducts(B, MakeSample(kSquare.with_seed(7), MATAIJ));
  const Owned<Mat> C = MakeSample(kTall, root());
  Ok(MatSpMVTune(C, 500));
  EXPECT_EQ(ReportOf(C).find("found before"), std::string::npos) << ReportOf(C);
}

TEST_P(Tune, TheCacheCanBeDoneWithout)
{
  const OptionGuard guard("-mat_spmv_tune_cache", "no");
  const Owned<Mat>  A = MakeSample(kSquare, root());
  Ok(MatSpMVTune(A, 500));
  EXPECT_FALSE(std::filesystem::exists(cache()));
}

TEST_P(Tune, ABrokenCacheCostsASearch)
{
  std::filesystem::create_directories(folder_ + "/petscspmv");
  std::ofstream(cache()) << "{\"version\":\"1\",\"matrix\":\"12\nnothing of this is ours\n";
  const Owned<Mat> A = MakeSample(kSquare, root());
  Ok(MatSpMVTune(A, 500));
  EXPECT_EQ(ReportOf(A).find("found before"), std::string::npos);
  ExpectSameProducts(A, MakeSample(kSquare, MATAIJ));
}

// Another version may have other kernels.
TEST_P(Tune, WhatAnotherVersionHasFoundIsSearchedAnew)
{
  ExpectASearchAfter("petscspmv ", "9");
}

// What is in the cache may be of anybody: options that there are not are as good as none.
TEST_P(Tune, AnEntryThatCannotBeIsNoEntry)
{
  ExpectASearchAfter("\"options\":\"", "nonsense=99 ");
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

/// Large enough that aijauto thinks about it, on any number of ranks.
Owned<Mat> Band(MatType type)
{
  constexpr PetscInt n = 20000;
  return MakeByRows(type, n, 3, [](Mat A, PetscInt i) {
    for (const PetscInt j : {i - 1, i, i + 1})
      if (j >= 0 && j < n) Ok(MatSetValue(A, i, j, i == j ? 4 : -1, INSERT_VALUES));
  });
}

TEST_P(Tune, AutoRemembersWhatAnotherSearchHasFound)
{
  if (root() != MATAIJAUTO) return;
  const Owned<Mat> reference = Band(MATAIJ), A = Band(MATAIJAUTO), B = Band(MATAIJAUTO), C = Band(MATAIJAUTO);
  Ok(MatSpMVTune(A, 2000));
  MultiplyOnce(A);
  const std::string view = Viewed(A, PETSC_VIEWER_ASCII_INFO);
  EXPECT_TRUE(Rank() > 0 || view.find("tuned: ") != std::string::npos) << view;
  ExpectSameProducts(A, reference);
  Ok(MatSpMVSetOption(C, "tune_cache", 0));
  for (int k = 0; k < 3000; ++k) {
    MultiplyOnce(B);
    MultiplyOnce(C);
  }
  EXPECT_NE(ReportOf(B).find("found before"), std::string::npos) << ReportOf(B);
  EXPECT_EQ(ReportOf(C), "");
  ExpectSameProducts(B, reference);
}

/// Large enough that aijauto thinks about it, and no rank is coupled with another one: the second rank has blocks of 2
/// x 2 with holes between them, all others have a stencil.
Owned<Mat> StencilsButForOneRank(MatType type)
{
  constexpr PetscInt  b = 2, nodes = 1500, n = b * nodes, most = 27 * b;
  constexpr PetscReal many_bits = 1LL << 40; // that no coding of values shortens, and that add up exactly
  Owned<Mat>          A;
  PetscInt            first, last;
  Ok(MatCreate(PETSC_COMM_WORLD, A.out()));
  Ok(MatSetSizes(A, n, n, PETSC_DETERMINE, PETSC_DETERMINE));
  Ok(MatSetType(A, type));
  Ok(MatSeqAIJSetPreallocation(A, most, NULL));
  Ok(MatMPIAIJSetPreallocation(A, most, NULL, 0, NULL));
  Ok(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt i = 0; i < n; ++i)
    for (PetscInt k = 0; k < most; ++k) {
      const PetscInt near = k / b, node = i / b + near % 3 - 1 + 10 * (near / 3 % 3 - 1) + 100 * (near / 9 - 1);
      if (Rank() == 1 && (i / b * 7 + near * 11) % 17 % 5 == 0) continue; // else it would be a stencil, too
      const PetscInt j = Rank() == 1 ? b * node + k % b : i + k % 9 - 4;
      if (j >= 0 && j < n) Ok(MatSetValue(A, first + i, first + j, Rank() == 1 ? many_bits + (PetscReal)(k + most * i) : 2, INSERT_VALUES));
    }
  Assemble(A);
  return A;
}

/// How many ranks have the same text as the first one.
PetscInt RanksWith(const std::string &text)
{
  char first[200] = "";
  text.copy(first, sizeof first - 1);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, PETSC_COMM_WORLD);
  return Sum(text.compare(0, sizeof first - 1, first) == 0);
}

// Also where products have not yet paid for what has been built already, and where the first ones would be AIJ's.
TEST_F(TuneAuto, WhatWasFoundIsGoneFromTheNextProductOn)
{
  const HeadStarts  allowed;
  const OptionGuard model("-mat_spmv_tune_seconds", "0");
  const Owned<Mat>  A = StencilsButForOneRank(MATAIJAUTO);
  Ok(MatSpMVTune(A, 300));
  const std::string report = ReportOf(A), type = report.substr(0, report.find(' '));
  for (int k = 0; k < 8; ++k) MultiplyOnce(A);
  shadow::Shadow *s;
  Ok(shadow::ShadowGet(Searched(A), &s));
  ASSERT_TRUE(s->host.format);
  const auto facts = s->host.format->facts();
  EXPECT_EQ(facts.at(0), std::pair(std::string("multiplies as"), type)) << facts.at(1).second << "; " << report;
}

TEST_F(TuneAuto, EachRankGoesAsItsOwnType)
{
  const OptionGuard model("-mat_spmv_tune_seconds", "0"); // which errs alike each time
  const Owned<Mat>  reference = StencilsButForOneRank(MATAIJ), A = StencilsButForOneRank(MATAIJAUTO);
  Ok(MatSpMVTune(A, 50));
  const std::string type = ReportOf(A).substr(0, ReportOf(A).find(' '));
  EXPECT_EQ(RanksWith(type), Ranks() == 1 ? 1 : Ranks() - 1) << type;
  ExpectSameProducts(A, reference);
  for (int k = 0; k < 200; ++k) MultiplyOnce(A); // time to think again, several times
  ExpectSameProducts(A, reference);
}

// On the first rank one order is fast, on all others another one.
TEST_F(TuneMirror, EachRankChoosesItsOwn)
{
  const PetscInt   fast = Rank() == 0 ? 3 : 1;
  const Owned<Mat> A = MakeSample(kSquare, "mirror"), B = MakeSample(kSquare, "mirror");
  PetscInt         order, again;
  Journal().fast_order = (int)fast;
  Ok(MatSpMVTune(A, 500));
  Journal().fast_order = 0;
  Ok(MatSpMVGetOption(Searched(A), "order", &order));
  EXPECT_EQ(order, fast);
  ExpectSameProducts(A, MakeSample(kSquare, MATAIJ));
  Ok(MatSpMVTune(B, 500));
  EXPECT_NE(ReportOf(B).find("found before"), std::string::npos) << ReportOf(B);
  Ok(MatSpMVGetOption(Searched(B), "order", &again));
  EXPECT_EQ(again, order);
}

// Every build fails on one rank: nothing has been found there.
TEST_F(TuneMirror, WhereNothingCanBeBuiltNothingChanges)
{
  const OptionGuard guard("-mat_spmv_tune_cache", "no");
  const Owned<Mat>  A = MakeSample(kSquare, "mirror");
  if (Rank() == Ranks() - 1) Journal().build_fault = Fault::out_of_memory;
  Ok(MatSpMVTune(A, 200));
  Journal().build_fault = Fault::none;
  ExpectSameProducts(A, MakeSample(kSquare, MATAIJ));
}

} // namespace
