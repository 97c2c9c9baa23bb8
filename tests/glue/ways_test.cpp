/// Formats that can go several ways: each block goes its own, and aijauto is AIJ whatever it multiplies as.

#include <limits>

#include "glue/support/compare.hpp"
#include "glue/support/head_starts.hpp"
#include "glue/support/samples.hpp"
#include "glue/support/types.hpp"

using namespace petscspmv;
using namespace petscspmv::test;

namespace {

/// What the format below says of its two ways, and what the glue has made of that.
struct Script {
  double product[2] = {1, 1}; ///< seconds
  double change     = 0;
  double head_start = 0;
  bool   fails      = false; ///< change() throws
  int    changes = 0, failures = 0;
  int    products_before_change = 0, products = 0; ///< of all blocks
} script;

/// A format with two ways that are the same, for whose products the clock is the script.
class Turncoat : public TestMirror {
public:
  static constexpr std::string_view name = "turncoat";

  using TestMirror::TestMirror;

  void multiply(Operation op, PetscScalar alpha, const PetscScalar *x, PetscScalar beta, PetscScalar *y) override
  {
    TestMirror::multiply(op, alpha, x, beta, y);
    ++products_;
    ++script.products;
  }

  Outlook outlook(const View &, double) override
  {
    const double never = std::numeric_limits<double>::infinity();
    Outlook      o{2, way_, {}};
    o.numbers.spent = products_ * script.product[way_];
    for (int w = 0; w < 2; ++w) {
      o.numbers.product[w] = failed_[w] ? never : script.product[w];
      o.numbers.change[w]  = failed_[w] ? never : script.change;
    }
    return o;
  }

  void change(const View &, int way) override
  {
    if (script.fails && way == 1) {
      ++script.failures;
      failed_[way] = true;
      throw MemoryError("That takes 3 bytes; use more processes.");
    }
    ++script.changes;
    script.products_before_change += products_;
    way_ = way;
  }

  Facts facts() const override { return {{"way", std::to_string(way_)}}; }

private:
  int  way_ = 0, products_ = 0;
  bool failed_[2] = {};
};

/// The same, whose first products are AIJ's.
class Homesick : public Turncoat {
public:
  static constexpr std::string_view name = "homesick";

  using Turncoat::Turncoat;
};

class Ways : public testing::Test {
protected:
  void SetUp() override
  {
    script = {};
    Ok(shadow::RegisterFormat([] { return MirrorType<Turncoat>(true); }));
    A_ = MakeSample(kSquare, "turncoat");
  }

  void Multiply(int times)
  {
    for (int k = 0; k < times; ++k) MultiplyOnce(A_);
  }

  /// The way of each of this rank's blocks.
  std::string WaysHere()
  {
    std::string text;
    Mat         blocks[2] = {A_, nullptr};
    if (Ranks() > 1) Ok(shadow::GetBlocks(A_, blocks));
    for (Mat block : blocks) {
      if (!block) continue;
      shadow::Shadow *s;
      Ok(shadow::ShadowGet(block, &s));
      text += s->host.format->facts()[0].second;
    }
    return text;
  }
  static std::string All(char way) { return Ranks() > 1 ? std::string{way, way} : std::string{way}; }

  Owned<Mat> A_;
};

TEST_F(Ways, BlocksChangeOnceProductsHavePaid)
{
  script.product[1] = Rank() == 0 ? 0.5 : 0.1;
  script.change     = 3;
  Multiply(60);
  EXPECT_EQ(WaysHere(), All('1'));
  EXPECT_EQ(script.changes, BlocksOf(A_));
  EXPECT_GE(script.products_before_change / BlocksOf(A_), 4) << "each product loses half a second or more, and three are lost by changing";
}

TEST_F(Ways, EachRankDecidesForItself)
{
  const bool last   = Rank() == Ranks() - 1;
  script.product[1] = last ? 2 : 0.1;
  Multiply(60);
  EXPECT_EQ(WaysHere(), All(last ? '0' : '1'));
}

TEST_F(Ways, WhereAChangeFailsProductsGoOnAsBefore)
{
  script.product[1] = 0.1;
  script.fails      = Rank() == Ranks() - 1;
  Multiply(60);
  EXPECT_EQ(WaysHere(), All(script.fails ? '0' : '1'));
  EXPECT_EQ(script.failures, script.fails ? BlocksOf(A_) : 0);
  ExpectSameProducts(A_, MakeSample(kSquare, MATAIJ));
}

TEST_F(Ways, NewValuesKeepTheWayAndANewPatternBeginsAnew)
{
  script.product[1] = 0.1;
  Multiply(60);
  ASSERT_EQ(WaysHere(), All('1'));
  Ok(MatScale(A_, 2));
  Multiply(1);
  EXPECT_EQ(WaysHere(), All('1'));
  script.product[1] = 2;
  Ok(MatSetOption(A_, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
  if (Rank() == 0) Ok(MatSetValue(A_, 0, kSquare.cols / 2 + 1, 5, ADD_VALUES));
  Assemble(A_);
  Multiply(60);
  EXPECT_EQ(WaysHere(), All('0'));
}

/// A five-point grid of small integers, large enough that aijauto thinks about it.
Owned<Mat> Grid(MatType type, PetscInt n = 120)
{
  return MakeByRows(type, n * n, 5, [n](Mat A, PetscInt i) {
    for (const PetscInt j : {i - n, i - 1, i, i + 1, i + n})
      if (j >= 0 && j < n * n) Ok(MatSetValue(A, i, j, i == j ? 4 : -1, INSERT_VALUES));
  });
}

/// What the matrix multiplies as, from -mat_view; on rank 0 only.
std::string MultipliesAs(Mat A)
{
  const std::string text = Viewed(A, PETSC_VIEWER_ASCII_INFO_DETAIL), key = "multiplies as: ";
  const auto        at = text.find(key);
  return at == std::string::npos ? "" : text.substr(at + key.size(), text.find('\n', at) - at - key.size());
}

/// Products of the format itself among 300 of a grid, ten of which are left to AIJ.
int OwnProducts(double seconds)
{
  const HeadStarts allowed;
  script            = {};
  script.head_start = 1e-4; // 7,840 entries and 1600 rows of a nanosecond
  script.product[0] = script.product[1] = seconds;
  Ok(shadow::RegisterFormat([] {
    auto type       = MirrorType<Homesick>(true);
    type.head_start = [](const OptionValues &) { return script.head_start; };
    return type;
  }));
  const PetscInt   n = 20 * (Ranks() + 1); // a rank has at least 1600 rows
  const Owned<Mat> A = Grid("homesick", n), reference = Grid(MATAIJ, n);
  for (int k = 0; k < 300; ++k) MultiplyOnce(A);
  script.products = 0;
  for (int k = 0; k < 300; ++k) MultiplyOnce(A);
  const int products = script.products;
  ExpectSameProducts(A, reference);
  return products;
}

// An off-diagonal block of 40 entries is tiny, and AIJ's in any case.
TEST(Homesickness, AMatrixGoesOnByAijWhereThatIsFaster)
{
  EXPECT_EQ(OwnProducts(1e-9), 300);
  EXPECT_LE(OwnProducts(1), 3);
}

// Which type it has become when depends on the clock; that its products are right does not.
TEST(AijAuto, IsAijWhateverItHasBecome)
{
  const Owned<Mat> A = Grid(MATAIJAUTO), reference = Grid(MATAIJ);
  for (int round = 0; round < 3; ++round) {
    for (int k = 0; k < 400; ++k) MultiplyOnce(A);
    ExpectSameProducts(A, reference);
    Ok(MatScale(A, 2));
    Ok(MatScale(reference, 2));
  }
  ExpectSameProducts(A, reference);
}

TEST(AijAuto, FirstChoosesBeforeTheFirstProduct)
{
  const OptionGuard guard("-mat_aijauto_when", "first");
  const Owned<Mat>  A = Grid(MATAIJAUTO), reference = Grid(MATAIJ);
  MultiplyOnce(A);
  const std::string chosen = MultipliesAs(A);
  EXPECT_EQ(Rank() == 0 ? "ccoo" : "", chosen) << "a stencil with constant values";
  for (int k = 0; k < 300; ++k) MultiplyOnce(A);
  EXPECT_EQ(CountsOf(A), (Counts{BlocksOf(A), 0}));
  ExpectSameProducts(A, reference);
}

TEST(AijAuto, LeavesTheFirstProductsToAij)
{
  const HeadStarts allowed;
  const Owned<Mat> A = Grid(MATAIJAUTO), reference = Grid(MATAIJ);
  const PetscInt   products = 48; // of 87 us: 72,000 entries and 14,400 rows of a nanosecond
  for (PetscInt k = 0; k < products - 1; ++k) MultiplyOnce(A);
  EXPECT_EQ(CountsOf(A), Counts{});
  for (PetscInt k = 0; k < 3 + products * (Ranks() - 1); ++k) MultiplyOnce(A); // a smaller block has more of them
  EXPECT_GE(CountsOf(A).builds, 1);
  ExpectSameProducts(A, reference);
}

TEST(AijAuto, LeavesTinyMatricesToAijForEver)
{
  const HeadStarts  allowed;
  const OptionGuard guard("-mat_aijauto_head_start", "1");
  const Owned<Mat>  A = Grid(MATAIJAUTO, 9), reference = Grid(MATAIJ, 9), larger = Grid(MATAIJAUTO, 40);
  for (PetscInt k = 0; k < 300; ++k) {
    MultiplyOnce(A);
    MultiplyOnce(larger);
  }
  EXPECT_EQ(CountsOf(A), Counts{});
  EXPECT_GE(CountsOf(larger).builds, 1);
  ExpectSameProducts(A, reference);
}

TEST(AijAuto, LeavesProductsOfEveryKindToAij)
{
  const HeadStarts  allowed;
  const OptionGuard guard("-mat_aijauto_head_start", "1000000");
  const Owned<Mat>  A = Grid(MATAIJAUTO, 20), reference = Grid(MATAIJ, 20);
  ExpectSameProducts(A, reference);
  Ok(MatScale(A, 2));
  Ok(MatScale(reference, 2));
  ExpectSameProducts(A, reference);
  EXPECT_EQ(CountsOf(A), Counts{});
}

TEST(AijAuto, GoesOnAfterAView)
{
  const HeadStarts allowed;
  const Owned<Mat> A = Grid(MATAIJAUTO), reference = Grid(MATAIJ);
  MultiplyOnce(A);
  (void)Viewed(A, PETSC_VIEWER_ASCII_INFO_DETAIL);
  for (int k = 0; k < 100; ++k) MultiplyOnce(A);
  ExpectSameProducts(A, reference);
}

TEST(AijAuto, SaysWhatItKnows)
{
  const Owned<Mat> A = Grid(MATAIJAUTO);
  MultiplyOnce(A);
  const std::string text = Viewed(A, PETSC_VIEWER_ASCII_INFO_DETAIL);
  for (const char *part : {"multiplies as: aijspec", "was built as: aijspec after 0 products", "a product takes: "})
    EXPECT_TRUE(Rank() > 0 || text.find(part) != std::string::npos) << part << " is missing in:\n" << text;
}

} // namespace
