// When a matrix of auto changes by whom it is multiplied, with a clock that stands still but for what the test says.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "select/rental.hpp"

namespace petscspmv::test {
namespace {

using select::Prices;
using select::Rental;
using select::Way;

/// What products, builds and new values take each way, in seconds; the prices that are foretold are those of the
/// second.
struct Machine {
  std::array<double, select::ways> product{1, 0.5, 0.9}, build{0, 20, 1}, refresh{0, 0, 0};
  std::array<bool, select::ways>   fails{};
  double                           foretold = 1; ///< the price, in what building takes
  double                           learning = 0; ///< what each of the first six products after a build takes more
  int                              values   = 0; ///< products between new values; 0: none are new
};

/// Products on it, as the glue does them.
class Course {
public:
  explicit Course(const Machine &m) : Course(m, Rental(Prices{m.foretold * m.build[1], m.refresh[1]})) { }
  Course(const Machine &m, Rental rental) : m_(m), rental_(std::move(rental)) { }

  void product()
  {
    const Way  before = rental_.way();
    const bool fresh  = m_.values > 0 && done_ > 0 && done_ % m_.values == 0;
    rental_.next(fresh);
    bool stands = rental_.way() == before && done_ > 0;
    while (!stands && rental_.way() != Way::aij) {
      ++builds_[index()];
      if ((stands = !m_.fails[index()])) {
        now_ += m_.build[index()];
        rental_.built(m_.build[index()]);
        since_ = 0;
      } else rental_.failed();
    }
    if (rental_.way() != before) changes_.push_back(done_);
    if (fresh) {
      now_ += m_.refresh[index()];
      rental_.refreshed(m_.refresh[index()]);
    }
    const double seconds = m_.product[index()] + (rental_.way() != Way::aij && since_++ < 6 ? m_.learning : 0);
    now_ += seconds;
    if (rental_.is_timed()) rental_.took(rental_.way(), seconds);
    timed_ += rental_.is_timed();
    ++done_;
  }
  Course &products(int n)
  {
    for (int k = 0; k < n; ++k) product();
    return *this;
  }

  Way                     way() const { return rental_.way(); }
  int                     builds(Way way) const { return builds_[static_cast<std::size_t>(way)]; }
  double                  now() const { return now_; }
  int                     timed() const { return timed_; }
  const std::vector<int> &changes() const { return changes_; }
  const Rental           &rental() const { return rental_; }

private:
  std::size_t index() const { return static_cast<std::size_t>(rental_.way()); }

  Machine                       m_;
  Rental                        rental_;
  std::array<int, select::ways> builds_{};
  std::vector<int>              changes_; ///< the products before which the way changed
  double                        now_  = 0;
  int                           done_ = 0, since_ = 0, timed_ = 0;
};

TEST(RentalTest, FewProductsAreAijsAndManyPay)
{
  Course course({});
  EXPECT_EQ(course.products(16).way(), Way::aij);
  EXPECT_EQ(course.builds(Way::fast), 0);
  EXPECT_EQ(course.products(30).way(), Way::fast);
  course.products(5000);
  EXPECT_EQ(course.builds(Way::fast), 1);
  EXPECT_EQ(course.changes().size(), 1U);
}

// The promise, whatever was foretold: never more than twice what AIJ takes when the price was right, and in the end no
// more than the best of all.
TEST(RentalTest, LosesLittleAndWinsInTheEnd)
{
  for (const double fast : {0.05, 0.5, 0.9, 0.99, 1.3, 3.0})
    for (const double plain : {0.8, 1.0, 1.5})
      for (const double build : {1.0, 5.0, 20.0, 60.0})
        for (const double foretold : {0.3, 1.0, 3.0}) {
          SCOPED_TRACE(testing::Message() << fast << " fast, " << plain << " plain, " << build << " to build, foretold " << foretold);
          Machine m;
          m.product  = {1, fast, plain};
          m.build    = {0, build, 1};
          m.foretold = foretold;
          Course course(m);
          for (int n = 1; n <= 20000; ++n) {
            course.product();
            const double trials = 16 * std::max(0.0, std::min(fast, 1.5) - 1) + 16 * std::max(0.0, plain - 1) + 6;
            ASSERT_LE(course.now(), n + build + trials) << n << " products";
            if (foretold >= 1) { ASSERT_LE(course.now(), 2 * n + trials) << n << " products"; }
          }
          const double before = course.now();
          course.products(1000);
          // what gains less than a tenth more than the fast type is not looked for
          const double best = std::min({1.0, fast, fast <= 0.93 ? 1.0 : plain});
          EXPECT_LE(course.now() - before, 1.04 * 1000 * best);
        }
}

TEST(RentalTest, AHopelessTypeIsLeftAtOnceAndNotBuiltAgain)
{
  Machine m;
  m.product = {1, 2, 1.2};
  Course course(m);
  while (course.way() != Way::fast) course.product();
  EXPECT_EQ(course.products(3).way(), Way::aij);
  course.products(5000);
  EXPECT_EQ(course.builds(Way::fast), 1);
  EXPECT_EQ(course.builds(Way::plain), 1);
  EXPECT_EQ(course.way(), Way::aij);
}

// Its first products find neither caches nor a processor that knows where rows end.
TEST(RentalTest, ATypeIsNotJudgedByItsFirstProducts)
{
  Machine m;
  m.learning = 0.9;
  EXPECT_EQ(Course(m).products(1000).changes().size(), 1U);
}

TEST(RentalTest, PlainHasItsTurnWhereTheFastTypeGainsNothing)
{
  Machine m;
  m.product = {1, 1.1, 0.85};
  EXPECT_EQ(Course(m).products(1000).way(), Way::plain);
}

TEST(RentalTest, WhatCannotBeBuiltIsTriedOnceAndTheNextTakesItsPlace)
{
  Machine m;
  m.fails[1] = true;
  Course course(m);
  while (course.way() == Way::aij) course.product();
  EXPECT_EQ(course.way(), Way::plain);
  course.products(5000);
  EXPECT_EQ(course.builds(Way::fast), 1);
  m.fails[2] = true;
  Course none(m);
  EXPECT_EQ(none.products(5000).way(), Way::aij);
  EXPECT_EQ(none.builds(Way::fast) + none.builds(Way::plain), 2);
}

TEST(RentalTest, NewValuesDoNotStartTheRentAnew)
{
  Machine                m;
  const std::vector<int> without = Course(m).products(200).changes();
  m.values                       = 20;
  EXPECT_EQ(Course(m).products(200).changes(), without);
}

TEST(RentalTest, NewValuesCountAmongWhatATypeTakes)
{
  Machine m;
  m.refresh[1] = 4;
  m.values     = 3;
  EXPECT_EQ(Course(m).products(2000).builds(Way::fast), 0) << "each three products would save 1.5 s and new values take 4";
  m.values = 20;
  EXPECT_EQ(Course(m).products(2000).way(), Way::fast) << "each twenty products save 10 s";
  m.values     = 3;
  m.product[2] = 1.1;
  Prices cheaper{m.build[1], 0.1}; // as is foretold
  Course course(m, Rental(cheaper));
  EXPECT_EQ(course.products(2000).way(), Way::aij) << "and what it is, is found";
  EXPECT_EQ(course.builds(Way::fast), 1);
}

// Ranks whose products take a little more or less build at the same time: else each waits while another builds.
TEST(RentalTest, RanksChangeAtTheSameProduct)
{
  std::vector<int> all;
  for (const double longer : {0.97, 0.99, 1.01, 1.03}) {
    Machine m;
    m.product[0] = longer;
    m.build[1]   = 22;
    all.push_back(Course(m).products(100).changes().at(0));
  }
  EXPECT_EQ(std::count(all.begin(), all.end(), all[0]), 4);
}

TEST(RentalTest, FixedWaysStayUnlessTheyCannotBeBuilt)
{
  Machine m;
  m.product[1] = 5;
  Course slow(m, Rental::fixed(Way::fast));
  EXPECT_EQ(slow.products(1000).way(), Way::fast);
  EXPECT_EQ(slow.timed(), 0);
  m.fails[1] = true;
  EXPECT_EQ(Course(m, Rental::fixed(Way::fast)).products(1).way(), Way::plain);
}

TEST(RentalTest, SmallMatricesStayAijsAndAreNotTimed)
{
  const Prices small = select::prices(100, 1600, {}), large = select::prices(1e5, 1.6e6, {});
  EXPECT_TRUE(small.small);
  EXPECT_FALSE(large.small);
  Course course({}, Rental(small));
  EXPECT_EQ(course.products(10000).way(), Way::aij);
  EXPECT_EQ(course.timed(), 0);
}

// A few after a change, and then one in eight: the clock costs something.
TEST(RentalTest, TimesSomeProducts)
{
  Course course({});
  course.products(4000);
  EXPECT_GT(course.timed(), 16);
  EXPECT_LT(course.timed(), 600);
}

// Nothing may wait there: the seconds of products are known, and the change is for good.
TEST(RentalTest, OnADeviceProductsAreCountedAndNotTimed)
{
  const Execution device{.space = MemorySpace::device, .threads = 16};
  const Prices    p = select::prices(1e7, 1.2e8, device);
  ASSERT_GT(p.product, 0);
  Course course({}, Rental(p));
  while (course.way() == Way::aij && course.rental().way() == Way::aij && course.changes().empty() && course.builds(Way::fast) == 0)
    course.product();
  EXPECT_EQ(course.timed(), 0);
  EXPECT_GE(course.changes().at(0) * p.product, 16e-3) << "short solves are left to PETSc";
  EXPECT_LE(course.changes().at(0) * p.product, std::max(25e-3, 2.5 * p.build));
  course.products(10000);
  EXPECT_EQ(course.changes().size(), 1U);
}

// 16 threads make a copy of ccoo sooner than PETSc copies its CSR, and one thread does not.
TEST(RentalTest, ACopyOnADeviceMayBeThereBeforeAij)
{
  EXPECT_TRUE(select::is_there_sooner(1e7, {MemorySpace::device, 16}));
  EXPECT_FALSE(select::is_there_sooner(1e7, {MemorySpace::device, 1}));
  EXPECT_FALSE(select::is_there_sooner(1e4, {MemorySpace::device, 16})) << "of few entries";
  EXPECT_FALSE(select::is_there_sooner(1e7, {MemorySpace::device, 16, Kernels::kokkos})) << "what that takes to build is not known";
}

TEST(RentalTest, TellsWhatItKnows)
{
  Course                           course({});
  const std::array<std::string, 3> names{"aij", "ccoo", "aijspec"};
  EXPECT_EQ(course.rental().facts(names)[0], (std::pair<std::string, std::string>("multiplies as", "aij")));
  course.products(200);
  const auto facts = course.rental().facts(names);
  EXPECT_EQ(facts[0].second, "ccoo");
  EXPECT_EQ(facts[1].second, "ccoo after " + std::to_string(course.changes()[0]) + " products");
  EXPECT_EQ(facts[2].second, "aij 1e+06 us, ccoo 5e+05 us");
}

} // namespace
} // namespace petscspmv::test
