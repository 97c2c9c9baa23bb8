/// The type that chooses by itself: each block goes its own way when products have paid for it, and is AIJ whatever it
/// multiplies as.

#include "glue/door/attach.hpp"
#include "glue/support/compare.hpp"
#include "glue/support/head_starts.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"
#include "select/clock.hpp"

using namespace petscspmv;
using namespace petscspmv::test;

namespace {

/// A five-point grid of small integers, large enough that auto thinks about it.
Owned<Mat> Grid(MatType type, PetscInt n = 80)
{
  return MakeByRows(type, n * n, 5, [n](Mat A, PetscInt i) {
    for (const PetscInt j : {i - n, i - 1, i, i + 1, i + n})
      if (j >= 0 && j < n * n) Ok(MatSetValue(A, i, j, i == j ? 4 : -1, INSERT_VALUES));
  });
}

void Multiply(Mat A, int times)
{
  for (int k = 0; k < times; ++k) MultiplyOnce(A);
}

/// What this rank multiplies as: of a parallel matrix, its diagonal block.
std::string WayHere(Mat A)
{
  Mat blocks[2] = {A, nullptr};
  if (Ranks() > 1) Ok(shadow::GetBlocks(A, blocks));
  return WayOf(blocks[0]);
}

/// What a product takes on the clock of these tests, in seconds: by AIJ, by the fast type, by plain CSR.
struct Costs {
  double aij = 2e-5, fast = 5e-6, plain = 15e-6;
};

/// The rule reads a clock that each look puts forward by the cost of a product the present way: a busy machine changes
/// nothing.
class Auto : public testing::Test {
protected:
  void SetUp() override
  {
    watched     = nullptr;
    costs       = {};
    select::now = [] {
      const std::string way = watched ? WayHere(watched) : "";
      return seconds += way == "aij" ? costs.aij : way == "aijspec" ? costs.plain : costs.fast;
    };
  }
  void TearDown() override { select::now = select::steady_clock; }

  static Owned<Mat> Watched(MatType type)
  {
    Owned<Mat> A = Grid(type);
    watched      = A;
    return A;
  }

  static inline Costs costs;

private:
  static inline Mat    watched;
  static inline double seconds;
  const HeadStarts     allowed;
};

TEST_F(Auto, FewProductsAreAijs)
{
  const Owned<Mat> A = Watched(MATAIJAUTO), reference = Grid(MATAIJ);
  Multiply(A, 3);
  EXPECT_EQ(WayHere(A), "aij");
  ExpectSameProducts(A, reference);
  Ok(MatScale(A, 2));
  Ok(MatScale(reference, 2));
  ExpectSameProducts(A, reference);
  EXPECT_EQ(CountsOf(A), Counts{});
}

// A grid with constants takes a few times as long by AIJ.
TEST_F(Auto, ManyProductsPayForCcoo)
{
  const Owned<Mat> A = Watched(MATAIJAUTO), reference = Grid(MATAIJ);
  Multiply(A, 200);
  EXPECT_EQ(WayHere(A), "ccoo");
  ExpectSameProducts(A, reference);
}

TEST_F(Auto, NewValuesKeepTheWayAndDoNotPutItOff)
{
  const Owned<Mat> A = Watched(MATAIJAUTO), reference = Grid(MATAIJ);
  for (int k = 0; k < 10; ++k) {
    Multiply(A, 20);
    Ok(MatScale(A, k % 2 ? 2 : 0.5));
  }
  EXPECT_EQ(WayHere(A), "ccoo");
  ExpectSameProducts(A, reference);
}

TEST_F(Auto, ANewPatternBeginsAnew)
{
  const Owned<Mat> A = Watched(MATAIJAUTO), reference = Grid(MATAIJ);
  Multiply(A, 200);
  PetscInt first, last;
  Ok(MatGetOwnershipRange(A, &first, &last));
  for (Mat mat : {(Mat)A, (Mat)reference}) {
    Ok(MatSetOption(mat, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
    Ok(MatSetOption(mat, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    Ok(MatSetValue(mat, first, first + 5, 5, ADD_VALUES));
    Assemble(mat);
  }
  MultiplyOnce(A);
  EXPECT_EQ(WayHere(A), "aij");
  ExpectSameProducts(A, reference);
}

TEST_F(Auto, IsAijWhateverItHasBecome)
{
  const Owned<Mat> A = Watched(MATAIJAUTO), reference = Grid(MATAIJ);
  for (int k = 0; k < 60; ++k) {
    MultiplyOnce(A);
    if (k % 7 == 0) ExpectSameProducts(A, reference);
    if (k % 20 == 0)
      for (Mat mat : {(Mat)A, (Mat)reference}) Ok(MatScale(mat, 2));
  }
}

TEST_F(Auto, FirstIsCcooFromTheFirstProductOn)
{
  const OptionGuard guard("-mat_aijauto_when", "first");
  const Owned<Mat>  A = Watched(MATAIJAUTO), reference = Grid(MATAIJ);
  MultiplyOnce(A);
  EXPECT_EQ(WayHere(A), "ccoo");
  const Counts once = CountsOf(A);
  Multiply(A, 150);
  EXPECT_EQ(CountsOf(A), once);
  ExpectSameProducts(A, reference);
}

TEST_F(Auto, LeavesSmallMatricesToAijForEver)
{
  const Owned<Mat> A = Grid(MATAIJAUTO, 9), reference = Grid(MATAIJ, 9);
  Multiply(A, 300);
  EXPECT_EQ(CountsOf(A), Counts{});
  ExpectSameProducts(A, reference);
}

TEST_F(Auto, SaysWhatItKnowsAndGoesOnAfterAView)
{
  const Owned<Mat> A = Watched(MATAIJAUTO), reference = Grid(MATAIJ);
  MultiplyOnce(A);
  for (const char *way : {"aij", "ccoo"}) {
    const std::string text = Viewed(A, PETSC_VIEWER_ASCII_INFO_DETAIL);
    for (const std::string &part :
         {std::string("multiplies as: ") + way, std::string("has changed to: "), std::string("a product takes: aij ")})
      EXPECT_TRUE(Rank() > 0 || text.find(part) != std::string::npos) << part << " is missing in:\n" << text;
    Multiply(A, 200);
  }
  ExpectSameProducts(A, reference);
}

/// What the format below does on this rank, and how often it was built or tried.
struct Script {
  bool fails = false;
  int  tries = 0;
} script;

/// A type that can be built, or not.
class Scripted : public TestMirror {
public:
  static constexpr std::string_view name = "scripted", auto_name = "scriptedauto";

  Scripted(const View &a, const OptionValues &options, const Execution &execution) : TestMirror(a, options, execution)
  {
    ++script.tries;
    if (script.fails) throw MemoryError("That takes 3 bytes; use more processes.");
  }
};

class AutoOfScripted : public Auto {
protected:
  void SetUp() override
  {
    Auto::SetUp();
    script = {};
    RegisterAutoOf<Scripted>();
  }
};

// The off-diagonal blocks are small.
TEST_F(AutoOfScripted, EachRankLeavesWhatIsSlowThere)
{
  const bool slow    = Rank() == Ranks() - 1;
  costs.fast         = slow ? 1e-4 : 5e-6;
  const Owned<Mat> A = Watched("scriptedauto"), reference = Grid(MATAIJ);
  Multiply(A, 150);
  EXPECT_EQ(script.tries, 1);
  EXPECT_EQ(WayHere(A), slow ? "aijspec" : "scripted");
  ExpectSameProducts(A, reference);
}

TEST_F(AutoOfScripted, WhatCannotBeBuiltIsTriedOnce)
{
  script.fails       = Rank() == Ranks() - 1;
  const Owned<Mat> A = Watched("scriptedauto"), reference = Grid(MATAIJ);
  Multiply(A, 150);
  EXPECT_EQ(script.tries, 1);
  if (script.fails) { EXPECT_NE(WayHere(A), "scripted"); }
  ExpectSameProducts(A, reference);
}

TEST_F(AutoOfScripted, PlainTakesThePlaceOfWhatCannotBeBuiltAtFirst)
{
  const OptionGuard guard("-mat_scriptedauto_when", "first");
  script.fails       = true;
  const Owned<Mat> A = Watched("scriptedauto"), reference = Grid(MATAIJ);
  Multiply(A, 20);
  EXPECT_EQ(WayHere(A), "aijspec");
  ExpectSameProducts(A, reference);
}

} // namespace
