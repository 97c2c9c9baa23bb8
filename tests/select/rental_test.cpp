// When to change over.

#include <gtest/gtest.h>

#include <limits>

#include "select/rental.hpp"

namespace petscspmv::test {
namespace {

using select::choose_way, select::is_settled;

/// Two ways: the present one takes a second a product, the other half of it, and ten to change.
Outlook outlook(double products)
{
  Outlook o{2, 0, {}};
  o.numbers.spent      = products;
  o.numbers.product[0] = 1;
  o.numbers.product[1] = 0.5;
  o.numbers.change[1]  = 10;
  o.numbers.guessed[1] = 1;
  return o;
}

TEST(RentalTest, ChangesWhenTheShareIsReached)
{
  EXPECT_EQ(choose_way(outlook(20)), 0) << "lost as much as it costs, but a half of what was spent";
  EXPECT_EQ(choose_way(outlook(237)), 0);
  EXPECT_EQ(choose_way(outlook(238)), 1)
    << "8 % of 237.5: ten to change, three products that may take three seconds each, six of one and a half";
}

TEST(RentalTest, ChangesWhenTheRentIsThePrice)
{
  Outlook o            = outlook(320);
  o.numbers.product[1] = 0.969; // 0.031 lost a product
  o.numbers.guessed[1] = 0;
  EXPECT_EQ(choose_way(o), 0);
  o.numbers.spent = 325;
  EXPECT_EQ(choose_way(o), 1);
}

TEST(RentalTest, AWayThatWasTimedIsNotWaitedFor)
{
  Outlook o            = outlook(50);
  o.numbers.invested   = 1000;
  o.numbers.guessed[1] = 0;
  EXPECT_EQ(choose_way(o), 1);
}

TEST(RentalTest, WhatWasInvestedBeforeCounts)
{
  Outlook o          = outlook(362);
  o.numbers.invested = 10;
  EXPECT_EQ(choose_way(o), 0);
  o.numbers.spent = 363;
  EXPECT_EQ(choose_way(o), 1);
}

TEST(RentalTest, TriesWhatWasOnlyPredictedToLose)
{
  Outlook o            = outlook(1000);
  o.numbers.product[1] = 1.2;
  EXPECT_EQ(choose_way(o), 1);
  o.numbers.guessed[1] = 0;
  EXPECT_EQ(choose_way(o), 0) << "it was timed";
  EXPECT_TRUE(is_settled(o));
  o.numbers.guessed[1] = 1;
  o.numbers.product[1] = 1.6;
  EXPECT_EQ(choose_way(o), 0) << "hopeless";
}

TEST(RentalTest, ATrialIsThereAndBack)
{
  Outlook o            = outlook(362);
  o.numbers.product[1] = 1;
  o.numbers.change[0]  = 10;
  EXPECT_EQ(choose_way(o), 0);
  o.numbers.spent = 363;
  EXPECT_EQ(choose_way(o), 1);
}

TEST(RentalTest, WhatIsNewIsNotJudgedByItsFirstProductsUnlessItIsHopeless)
{
  Outlook o            = outlook(1000);
  o.way                = 1;
  o.numbers.product[1] = 1.4;
  o.numbers.guessed[1] = 0;
  o.since              = 3;
  EXPECT_TRUE(select::is_on_trial(o));
  EXPECT_EQ(choose_way(o), 1);
  o.numbers.product[1] = 1.6;
  EXPECT_FALSE(select::is_on_trial(o));
  EXPECT_EQ(choose_way(o), 0);
  o.numbers.product[1] = 1.4;
  o.since              = select::judged_products;
  EXPECT_EQ(choose_way(o), 0);
}

TEST(RentalTest, WhatCannotBeIsNotChosen)
{
  Outlook o           = outlook(1e9);
  o.numbers.change[1] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(choose_way(o), 0);
  EXPECT_TRUE(is_settled(o));
}

TEST(RentalTest, NothingIsChosenUnseen)
{
  Outlook o        = outlook(1e9);
  o.numbers.unseen = 1;
  EXPECT_EQ(choose_way(o), 0);
  EXPECT_FALSE(is_settled(o));
}

TEST(RentalTest, ProductsElsewhereAreBetterThanTheFirstWayIfTimedAndFaster)
{
  Outlook o = outlook(100);
  EXPECT_TRUE(select::is_better_elsewhere(o, 0.9));
  EXPECT_FALSE(select::is_better_elsewhere(o, 0.96)) << "not by much";
  EXPECT_FALSE(select::is_better_elsewhere(o, 0)) << "not known";
  o.numbers.guessed[0] = 1;
  EXPECT_FALSE(select::is_better_elsewhere(o, 0.9)) << "not timed";
  o     = outlook(100);
  o.way = 1;
  EXPECT_FALSE(select::is_better_elsewhere(o, 0.9)) << "another way";
  EXPECT_FALSE(select::is_better_elsewhere(Outlook{}, 0.9));
}

TEST(RentalTest, PredictionsMadeFromTheFirstWayAreOfWhoeverIsFaster)
{
  Outlook o = outlook(100);
  select::take_elsewhere(o, 2);
  select::take_elsewhere(o, 0);
  EXPECT_EQ(o.numbers.product[0], 1) << "slower, and not known";
  select::take_elsewhere(o, 0.8);
  EXPECT_EQ(o.numbers.product[0], 0.8);
  EXPECT_EQ(o.numbers.product[1], 0.4);
  o                    = outlook(100);
  o.numbers.guessed[1] = 0;
  select::take_elsewhere(o, 0.8);
  EXPECT_EQ(o.numbers.product[1], 0.5) << "it was timed";
  o     = outlook(100);
  o.way = 1;
  select::take_elsewhere(o, 0.8);
  EXPECT_EQ(o.numbers.product[0], 0.8);
  EXPECT_EQ(o.numbers.product[1], 0.5) << "predicted from the present way, which is another";
  Outlook none;
  select::take_elsewhere(none, 0.8);
  EXPECT_EQ(none.numbers.product[0], 0);
}

TEST(RentalTest, OneWayIsSettled)
{
  EXPECT_EQ(choose_way(Outlook{}), 0);
  EXPECT_TRUE(is_settled(Outlook{}));
}

TEST(RentalTest, ChoicesComeOftenAtFirstAndSeldomInTheEnd)
{
  int choices = 0;
  for (std::int64_t n = select::first_choice; n < 10000; n = select::next_choice(n, false, false)) ++choices;
  EXPECT_LT(choices, 45);
  choices = 0;
  for (std::int64_t n = select::first_choice; n < 10000; n = select::next_choice(n, false, true)) ++choices;
  EXPECT_LT(choices, 15);
}

} // namespace
} // namespace petscspmv::test
