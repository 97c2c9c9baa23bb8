// The type that chooses by itself, with types that take what the test says and a clock that nothing else moves.

#include <gtest/gtest.h>

#include "fakes.hpp"
#include "select/chooser.hpp"
#include "select/model.hpp"
#include "select/rental.hpp"

namespace petscspmv::test {
namespace {

using select::Chooser;

/// Two types, plain and other, and a matrix, on which products are done as the glue does them.
class ChooserTest : public ::testing::Test {
protected:
  ChooserTest() { world() = {}; }

  Fake &plain() { return world().fakes[0]; }
  Fake &other() { return world().fakes[1]; }

  void begin(bool first = false)
  {
    types_   = {fake_type<0>(), fake_type<1>()};
    chooser_ = std::make_unique<Chooser<double, std::int32_t>>(types_, matrix_.view(), select::Settings{first, {}, fake_clock});
    next_    = select::first_choice;
    done_ = changed_ = 0;
  }

  void product()
  {
    if (++done_ >= next_) {
      Outlook o   = chooser_->outlook(matrix_.view(), elsewhere_);
      o.since     = done_ - changed_;
      const int w = select::choose_way(o);
      next_       = select::next_choice(done_, w != o.way || select::is_on_trial(o), select::is_settled(o));
      if (w != o.way) changed_ = done_;
      try {
        if (o.ways > 1 && w != o.way) chooser_->change(matrix_.view(), w);
      } catch (const std::bad_alloc &) {
        ++failures_;
      }
    }
    chooser_->multiply(Operation::none, 1.0, nullptr, 0.0, nullptr);
  }
  void products(int n)
  {
    for (int k = 0; k < n; ++k) product();
  }

  std::string way() const { return chooser_->facts().back().second; }

  CsrMatrix<double, std::int32_t>                matrix_ = five_diagonals(1000);
  std::vector<Type>                              types_;
  std::unique_ptr<Chooser<double, std::int32_t>> chooser_;
  std::int64_t                                   next_ = 0, done_ = 0, changed_ = 0;
  int                                            failures_  = 0;
  double                                         elsewhere_ = 0; ///< seconds of products that were not the chooser's
};

TEST_F(ChooserTest, FewProductsPayForNothing)
{
  plain() = {.product = 1e-3};
  other() = {.product = 1e-4};
  begin();
  products(50);
  EXPECT_EQ(way(), "0");
  EXPECT_EQ(other().builds, 0);
}

TEST_F(ChooserTest, WhatProductsElsewhereHaveTakenPays)
{
  plain() = {.product = 1e-3};
  other() = {.product = 1e-4, .build = 2e-3};
  begin();
  elsewhere_ = 1;
  products(5);
  EXPECT_EQ(way(), "1");
}

TEST_F(ChooserTest, ManyProductsPay)
{
  plain() = {.product = 1e-3};
  other() = {.product = 1e-4, .build = 2e-2};
  begin();
  products(2000);
  EXPECT_EQ(way(), "1");
  EXPECT_EQ(other().builds, 1);
}

// The promise: never slower than the first type by more than a tenth, over any number of products, and near the best
// one in the long run; whatever was predicted.
TEST_F(ChooserTest, NeverLosesMuchAndWinsInTheEnd)
{
  const double expected = select::predicted_upkeep("ccoo", double(matrix_.view().nonzeros()), {}).build;
  for (const double speed : {0.05, 0.5, 0.85, 0.99, 1.3, 3.0})
    for (const double predicted : {0.05, 0.5, 0.9, 1.2})
      for (const double build : {0.1, 1.0, 20.0, 60.0})
        for (const double longer : {0.5, 1.0, 2.5}) {
          SCOPED_TRACE(testing::Message() << "other takes " << speed << ", predicted " << predicted << ", expected to take " << build
                                          << " to build, takes " << longer << " times that");
          const double product = expected / build;
          world()              = {};
          plain()              = {.product = product};
          other()              = {.product = speed * product, .build = longer * expected, .predicted = predicted * product};
          begin();
          constexpr int most = 20000;
          for (int n = 1; n <= most; ++n) {
            this->product();
            ASSERT_LE(world().now, 1.10 * n * product + std::max(0.0, longer - 1) * expected) << n << " products";
          }
          const double before = world().now;
          products(1000);
          EXPECT_LE(world().now - before, 1.15 * 1000 * product * std::min(1.0, speed));
        }
}

// Its first products find neither caches nor a processor that knows where rows end.
TEST_F(ChooserTest, AWayIsNotJudgedByItsFirstProducts)
{
  plain() = {.product = 1e-3};
  other() = {.product = 5e-4, .build = 2e-2, .learning = 9e-4};
  begin();
  products(2000);
  EXPECT_EQ(way(), "1");
  EXPECT_EQ(other().builds, 1);
}

TEST_F(ChooserTest, AWayThatIsHopelessIsLeftAtOnce)
{
  plain() = {.product = 1e-3};
  other() = {.product = 2e-3, .build = 2e-2, .predicted = 5e-4};
  begin();
  while (other().builds == 0 && done_ < 5000) product();
  ASSERT_EQ(other().builds, 1);
  products(select::trial_products);
  EXPECT_EQ(way(), "0");
}

TEST_F(ChooserTest, AWayThatCannotBeBuiltIsTriedOnce)
{
  plain() = {.product = 1e-3};
  other() = {.product = 1e-4, .throws = true};
  begin();
  products(5000);
  EXPECT_EQ(way(), "0");
  EXPECT_EQ(other().builds, 1);
  EXPECT_EQ(failures_, 1);
}

TEST_F(ChooserTest, NewValuesCountAmongWhatAWayTakes)
{
  plain() = {.product = 1e-3};
  other() = {.product = 5e-4, .refresh = 1e-2};
  begin();
  for (int k = 0; k < 1000; ++k) {
    chooser_->refresh(matrix_.view());
    products(3);
  }
  EXPECT_EQ(way(), "0") << "each three products take 1 ms less and the new values 10 ms more";
  world() = {};
  plain() = {.product = 1e-3};
  other() = {.product = 5e-4, .refresh = 1e-2};
  begin();
  for (int k = 0; k < 20; ++k) {
    products(200);
    chooser_->refresh(matrix_.view());
  }
  EXPECT_EQ(way(), "1") << "each 200 products take 100 ms less and the new values 10 ms more";
}

TEST_F(ChooserTest, FirstChoosesBeforeTheFirstProductAndStays)
{
  plain() = {.product = 1e-3};
  other() = {.product = 1e-4, .build = 1};
  begin(true);
  EXPECT_EQ(way(), "1");
  other().product = 1;
  products(1000);
  EXPECT_EQ(way(), "1");
  EXPECT_EQ(chooser_->outlook(matrix_.view(), 0).ways, 0);
}

TEST_F(ChooserTest, SmallMatricesStayAsTheyAre)
{
  matrix_ = five_diagonals(100);
  plain() = {.product = 1e-3};
  other() = {.product = 1e-6};
  begin();
  products(10000);
  EXPECT_EQ(way(), "0");
}

TEST_F(ChooserTest, HoldsNoMoreThanTwoAtATimeAndLeavesNone)
{
  plain() = {.product = 1e-3};
  other() = {.product = 1e-4};
  begin();
  products(1000);
  EXPECT_LE(world().most_alive, 2);
  chooser_.reset();
  EXPECT_EQ(world().alive, 0);
}

// 16 threads make a copy of ccoo sooner than PETSc copies its CSR, and one thread does not.
TEST(FirstWay, IsThatOfACopyOnADeviceThatIsThereBeforeAij)
{
  Type plain = fake_type<0>(), copy = fake_type<1>();
  plain.on_device = plain.on_host;
  copy.on_device  = copy.on_host;
  copy.borrows    = false;
  const std::vector<Type> types{plain, copy};
  const auto              first = [&types](double nonzeros, Execution execution) {
    return select::first_way(std::span<const Type>(types), nonzeros, execution);
  };
  EXPECT_EQ(1, first(1e7, {MemorySpace::device, 16}));
  EXPECT_EQ(0, first(1e7, {MemorySpace::device, 1}));
  EXPECT_EQ(0, first(1e4, {MemorySpace::device, 16})) << "of few entries";
  EXPECT_EQ(0, first(1e7, {MemorySpace::host, 16}));
  EXPECT_EQ(0, first(1e7, {MemorySpace::device, 16, Kernels::kokkos})) << "what that takes to build is not known";
}

} // namespace
} // namespace petscspmv::test
