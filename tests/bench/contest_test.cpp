/// \file contest_test.cpp
/// The protocol on a fake clock: who is measured when, what the times are, and that wrong results are found out.

#include <set>

#include <gtest/gtest.h>

#include "bench/fakes.hpp"
#include "measure/conversion.hpp"

using namespace petscspmv::bench;

TEST(Contest, TimesAreThoseOfTheProducts)
{
  FakeContest f;
  f.add("slow", Role::peer, {.product = 3e-3});
  f.add("fast", Role::type, {.product = 1e-4});
  Contest contest = f.contest();
  contest.build();
  for (Regime regime : {Regime::cold, Regime::warm}) {
    ASSERT_TRUE(contest.run(regime));
    for (const Entrant &e : f.entrants) {
      EXPECT_EQ(e.status, Status::ok) << e.reason;
      EXPECT_EQ(e.time.count, f.settings.samples);
      EXPECT_NEAR(e.time.median, e.name.name == "slow" ? 3e-3 : 1e-4, 1e-12);
      EXPECT_NEAR(e.time.upper, e.time.lower, 1e-12);
    }
  }
}

TEST(Contest, WarmSamplesAreLongEnoughForTheClock)
{
  FakeContest f;
  f.add("fast", Role::type, {.product = 1e-6});
  Contest contest = f.contest();
  contest.build();
  contest.run(Regime::warm);
  EXPECT_GE(double(f.entrants[0].repeats) * 1e-6, f.settings.batch * 0.999);
  contest.run(Regime::cold);
  EXPECT_EQ(f.entrants[0].repeats, 1) << "a second product in a cold sample would find the caches full";
}

TEST(Contest, CompetitorsTakeTurns)
{
  FakeContest f;
  for (const char *name : {"a", "b", "c"}) f.add(name, Role::peer, {.product = 1e-3});
  f.settings.samples = 20;
  Contest contest    = f.contest();
  contest.build();
  f.turns.clear();
  contest.run(Regime::cold);
  std::set<std::string> orders;
  for (std::size_t round = 0; round < 20; ++round) {
    const std::set<std::string> names(f.turns.begin() + std::ptrdiff_t(3 * round), f.turns.begin() + std::ptrdiff_t(3 * round + 3));
    EXPECT_EQ(names.size(), 3U) << "round " << round;
    orders.insert(f.turns[3 * round] + f.turns[3 * round + 1] + f.turns[3 * round + 2]);
  }
  EXPECT_GT(orders.size(), 3U) << "the order must change from round to round";
}

TEST(Contest, BuildingAndTheFirstProductAreTimedTogether)
{
  FakeContest f;
  f.add("type", Role::type, {.build = 0.5, .product = 0.25});
  f.contest().build();
  EXPECT_DOUBLE_EQ(f.entrants[0].first, 0.75);
}

TEST(Contest, AWrongFirstResultIsFoundAndNotTimed)
{
  FakeContest f;
  f.add("wrong", Role::type, {.error = 1e-9, .right_products = 0});
  f.add("right", Role::peer, {});
  Contest contest = f.contest();
  contest.build();
  contest.run(Regime::warm);
  EXPECT_EQ(f.entrants[0].status, Status::wrong);
  EXPECT_EQ(f.entrants[0].time.count, 0);
  EXPECT_NE(f.entrants[0].reason.find("before timing"), std::string::npos) << f.entrants[0].reason;
  EXPECT_NE(f.entrants[0].reason.find("row 72"), std::string::npos) << f.entrants[0].reason;
  EXPECT_EQ(f.entrants[1].status, Status::ok);
}

TEST(Contest, AResultThatTurnsWrongWhileTimingIsFound)
{
  FakeContest f;
  f.add("tired", Role::type, {.error = 1e-9, .right_products = 5});
  Contest contest = f.contest();
  contest.build();
  EXPECT_EQ(f.entrants[0].status, Status::ok);
  contest.run(Regime::cold);
  EXPECT_EQ(f.entrants[0].status, Status::wrong);
  EXPECT_NE(f.entrants[0].reason.find("after timing"), std::string::npos) << f.entrants[0].reason;
}

namespace {

/// Takes any time for the product's, and tells who was asked for what.
class ToldStopwatch final : public Stopwatch {
public:
  void calibrate(Entrant &e, Regime regime) override
  {
    e.repeats = regime == Regime::cold ? 1 : 8;
    told.push_back("calibrate " + e.name.name + " " + text_of(regime));
  }
  double sample(Entrant &e, Regime regime) override
  {
    told.push_back("sample " + e.name.name + " " + text_of(regime));
    return 0.5;
  }

  std::vector<std::string> told;
};

} // namespace

TEST(Contest, TimesComeFromTheStopwatch)
{
  FakeContest f;
  f.add("type", Role::type, {.product = 1e-3});
  f.settings.samples = 2;
  ToldStopwatch stopwatch;
  Contest       contest(f.clock, f.alone, stopwatch, f.settings, f.entrants, [] { return false; });
  contest.build();
  contest.run(Regime::warm);
  EXPECT_EQ(stopwatch.told, (std::vector<std::string>{"calibrate type warm", "sample type warm", "sample type warm"}));
  EXPECT_EQ(f.entrants[0].time.median, 0.5);
  EXPECT_EQ(f.entrants[0].repeats, 8);
}

TEST(Contest, AResultOfOtherProductsIsCheckedTheSameWay)
{
  FakeContest f;
  f.add("type", Role::type, {});
  f.contest().build();
  Entrant &e = f.entrants[0];
  check_result(e, "of the recorded products", 1, [&e] { e.product->multiply(); });
  EXPECT_EQ(e.status, Status::ok) << e.reason;
  check_result(e, "of the recorded products", 1, [] {}); // a recording without products leaves y as it was: full of NaN
  EXPECT_EQ(e.status, Status::wrong);
  EXPECT_NE(e.reason.find("of the recorded products"), std::string::npos) << e.reason;
}

TEST(Contest, OneWhoGivesUpDoesNotStopTheOthers)
{
  FakeContest f;
  f.add("broken", Role::type, {.fails = "height is 7, but must be even"});
  f.add("right", Role::peer, {});
  Contest contest = f.contest();
  contest.build();
  contest.run(Regime::warm);
  EXPECT_EQ(f.entrants[0].status, Status::failed);
  EXPECT_EQ(f.entrants[0].reason, "height is 7, but must be even");
  EXPECT_EQ(f.entrants[1].status, Status::ok);
}

TEST(Contest, TheBudgetEndsSamplingAfterTheLeastNumber)
{
  FakeContest f;
  f.add("endless", Role::type, {.product = 100});
  Contest contest = f.contest();
  contest.build();
  contest.run(Regime::cold);
  EXPECT_EQ(f.entrants[0].time.count, f.settings.least_samples);
}

TEST(Contest, AnInterruptIsTold)
{
  FakeContest f;
  f.add("type", Role::type, {});
  Contest contest = f.contest();
  contest.build();
  f.interrupted = true;
  EXPECT_FALSE(contest.run(Regime::cold));
}

TEST(Conversion, BuildAndRefreshAreFreedOfTheProduct)
{
  FakeContest f;
  f.add("type", Role::type, {.build = 0.5, .product = 0.125, .refresh = 0.25});
  const ConversionSample s = sample_conversion(f.clock, f.entrants[0], f.settings);
  EXPECT_DOUBLE_EQ(s.build, 0.5);
  EXPECT_DOUBLE_EQ(s.refresh, 0.25);
  EXPECT_DOUBLE_EQ(s.product, 0.125);
  EXPECT_EQ(f.entrants[0].status, Status::ok) << f.entrants[0].reason;
}

TEST(Conversion, StaleValuesAreFound)
{
  FakeContest f;
  f.add("stale", Role::type, {.ignores_new_values = true});
  sample_conversion(f.clock, f.entrants[0], f.settings);
  EXPECT_EQ(f.entrants[0].status, Status::wrong);
  EXPECT_NE(f.entrants[0].reason.find("after a refresh"), std::string::npos) << f.entrants[0].reason;
}

TEST(CacheFlush, TheRanksOfOneTurnReadAllBytesTogether)
{
  CacheFlush flush(1 << 20);
  EXPECT_NEAR(double(flush.run(1, 1)), 1 << 20, 64);
  EXPECT_NEAR(double(2 * flush.run(2, 1)), 1 << 20, 64) << "other ranks that idle in this turn read nothing";
}

TEST(Oracle, AcceptsAnyOrderOfTheSumsAndNothingElse)
{
  const CsrMatrix     a = parse_generator("random:50x400,row=300").generate();
  const LocalMatrix   local{&a, a.rows, 0, 0, a.cols};
  const Oracle        oracle(local);
  std::vector<double> forward(50), backward(50);
  for (Index r = 0; r < 50; ++r) {
    for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k) forward[std::size_t(r)] += a.val[k] * vector_entry(a.col[k]);
    for (Index k = a.row_ptr[r + 1]; k-- > a.row_ptr[r];) backward[std::size_t(r)] += a.val[k] * vector_entry(a.col[k]);
  }
  ASSERT_NE(forward, backward);
  EXPECT_TRUE(oracle.check(forward).right);
  EXPECT_TRUE(oracle.check(backward).right);
  EXPECT_FALSE(oracle.check(forward, 2).right);

  std::vector<double> off = forward;
  off[17] += 1e-11;
  EXPECT_FALSE(oracle.check(off).right);
  EXPECT_EQ(oracle.check(off).row, 17);
  off[17] = std::nan("");
  EXPECT_FALSE(oracle.check(off).right);

  // Values of which some bits may be lost.
  for (Index r = 0; r < 50; ++r) {
    off[std::size_t(r)] = 0;
    for (Index k = a.row_ptr[r]; k < a.row_ptr[r + 1]; ++k) off[std::size_t(r)] += double(float(a.val[k])) * vector_entry(a.col[k]);
  }
  EXPECT_FALSE(oracle.check(off).right);
  EXPECT_TRUE(oracle.check(off, 1, 0x1p-24).right);
  EXPECT_FALSE(oracle.check(off, 1, 0x1p-34).right);
}

TEST(Oracle, EmptyRowsMustBeZero)
{
  CsrMatrix a;
  a.rows = a.cols = 2;
  a.row_ptr       = {0, 0, 0};
  const Oracle oracle({&a, 2, 0, 0, 2});
  EXPECT_TRUE(oracle.check(std::vector<double>{0, -0.0}).right);
  EXPECT_FALSE(oracle.check(std::vector<double>{0, 1e-300}).right);
}

TEST(Quantiles, AreThoseOfTheTextbook)
{
  const Quantiles q = quantiles_of({4, 1, 3, 2});
  EXPECT_EQ(q.count, 4);
  EXPECT_DOUBLE_EQ(q.least, 1);
  EXPECT_DOUBLE_EQ(q.lower, 1.75);
  EXPECT_DOUBLE_EQ(q.median, 2.5);
  EXPECT_DOUBLE_EQ(q.upper, 3.25);
  EXPECT_EQ(quantiles_of({}).count, 0);
  EXPECT_DOUBLE_EQ(geometric_mean({2, 8}), 4);
}
