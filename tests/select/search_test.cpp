// The search, on a bench whose clock moves only by what the test says that products and builds take.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "select/candidates.hpp"
#include "select/duel.hpp"
#include "select/search.hpp"

namespace petscspmv::test {
namespace {

using select::Budget;
using select::Prospect;
using select::Result;

struct FakeCandidate {
  double predicted, build, product;
  bool   fails  = false;
  int    varies = -1;
  double cold   = 0; ///< what a product takes more after one of another candidate
};

class FakeBench : public select::Workbench {
public:
  explicit FakeBench(std::vector<FakeCandidate> candidates) : candidates_(std::move(candidates)) { }

  double      now() override { return now_; }
  std::string build(int slot, std::size_t c) override
  {
    EXPECT_LT(slots_[slot], 0) << "what is in the slot has not been dropped";
    now_ += candidates_[c].build;
    if (candidates_[c].fails) return "there is not enough memory";
    slots_[slot] = int(c);
    built_.push_back(c);
    return "";
  }
  void multiply(int slot) override
  {
    ASSERT_GE(slots_[slot], 0);
    const FakeCandidate &c = candidates_[slots_[slot]];
    now_ += c.product + (last_ == slots_[slot] ? 0 : c.cold);
    last_ = slots_[slot];
    ++products_[slots_[slot]];
  }
  void drop(int slot) override { slots_[slot] = -1; }

  Result search(const Budget &budget)
  {
    std::vector<Prospect> prospects;
    for (const FakeCandidate &c : candidates_) prospects.push_back({c.predicted, c.build, c.varies});
    return select::search(prospects, budget, *this);
  }

  std::vector<FakeCandidate> candidates_;
  double                     now_      = 0;
  int                        slots_[2] = {-1, -1}, last_ = -1;
  std::vector<std::size_t>   built_;
  std::array<int, 16>        products_{};
};

const std::vector<FakeCandidate> kThree{{1, 0, 1}, {0.9, 10, 0.8}, {0.8, 10, 0.75}};

TEST(SearchTest, FindsTheFastest)
{
  FakeBench    bench(kThree);
  const Result r = bench.search({});
  EXPECT_EQ(r.chosen, 2U);
  EXPECT_EQ(r.trials.size(), 3U);
  EXPECT_EQ(bench.built_, (std::vector<std::size_t>{0, 2, 1})) << "the first, then by prediction";
  EXPECT_EQ(bench.slots_[r.slot], 2);
  EXPECT_EQ(bench.slots_[1 - r.slot], -1);
  EXPECT_STREQ(r.end, "all were tried");
}

TEST(SearchTest, IsTheSameEachTime)
{
  FakeBench one(kThree), two(kThree);
  one.search({});
  two.search({});
  EXPECT_EQ(one.products_, two.products_);
  EXPECT_EQ(one.now_, two.now_);
}

TEST(SearchTest, WithoutABudgetTheModelDecides)
{
  for (const Budget budget : {Budget{.products = 0}, Budget{.seconds = 0}}) {
    FakeBench    bench(kThree);
    const Result r = bench.search(budget);
    EXPECT_EQ(r.chosen, 2U);
    EXPECT_EQ(r.slot, -1);
    EXPECT_TRUE(bench.built_.empty());
    EXPECT_EQ(bench.now_, 0);
  }
}

// What the other candidate's product has put out of the caches does not count: a program multiplies again and again.
TEST(SearchTest, TimesProductsThatFollowOneOfTheSame)
{
  FakeBench    bench({{1, 0, 1}, {0.9, 1, 0.8, false, -1, 0.5}});
  const Result r = bench.search({});
  EXPECT_EQ(r.chosen, 1U);
  EXPECT_NEAR(r.trials[1].product, 0.8, 1e-12);
}

TEST(SearchTest, TrustsThePredictionOfWhatTheBudgetHasNoRoomFor)
{
  const auto search = [](double predicted, double build) {
    FakeBench    bench({{1, 0, 2}, {predicted, build, 0.1}}); // all takes twice its prediction here
    const Result r = bench.search({.products = 100});
    EXPECT_EQ(r.chosen == 1 && build > 100, r.slot < 0);
    EXPECT_EQ(bench.slots_[0] < 0 && bench.slots_[1] < 0, r.slot < 0) << "what was tried is dropped";
    return r.chosen;
  };
  EXPECT_EQ(search(0.5, 500), 1U);
  EXPECT_EQ(search(0.99, 500), 0U) << "no better than what was tried";
  EXPECT_EQ(search(0.5, 5), 1U) << "and was tried";
}

/// More than a budget has room for.
std::vector<FakeCandidate> many()
{
  std::vector<FakeCandidate> all{{1, 0, 1}};
  for (int k = 0; k < 12; ++k) all.push_back({0.9 + 0.01 * k, 20, 0.9 - 0.01 * k});
  return all;
}

TEST(SearchTest, KeepsToTheBudget)
{
  for (const double products : {20.0, 50.0, 100.0, 300.0}) {
    FakeBench    bench(many());
    const Result r = bench.search({.products = products});
    EXPECT_LE(r.seconds, products);
    EXPECT_EQ(r.seconds, bench.now_);
    EXPECT_STREQ(r.end, "the budget ended");
  }
  FakeBench bench(many());
  bench.search({.seconds = 60});
  EXPECT_LE(bench.now_, 60);
}

TEST(SearchTest, WhatWasSpentBeforeCounts)
{
  for (const Budget budget : {Budget{.products = 300, .spent = 100}, Budget{.seconds = 300, .spent = 100}}) {
    FakeBench    bench(many());
    const Result r = bench.search(budget);
    EXPECT_LE(bench.now_, 200);
    EXPECT_EQ(r.seconds, 100 + bench.now_);
    EXPECT_STREQ(r.end, "the budget ended");
  }
}

TEST(SearchTest, WhatCannotBeBuiltIsPassedOver)
{
  std::vector<FakeCandidate> c = kThree;
  c[2].fails                   = true;
  FakeBench    bench(c);
  const Result r = bench.search({});
  EXPECT_EQ(r.chosen, 1U);
  EXPECT_EQ(r.trials[1].failure, "there is not enough memory");
  c[0].fails = c[1].fails = true;
  FakeBench    none(c);
  const Result nothing = none.search({});
  EXPECT_EQ(nothing.slot, -1);
  EXPECT_EQ(nothing.chosen, 2U) << "by the model";
}

TEST(SearchTest, LeavesOutWhatIsHopelessAndDropsWhatIsBehind)
{
  FakeBench bench({{1, 0, 1}, {1.6, 1, 0.1}, {0.99, 1, 1.3}, {0.98, 1, 1.2}});
  EXPECT_EQ(bench.search({}).chosen, 0U);
  EXPECT_EQ(bench.built_, (std::vector<std::size_t>{0, 3, 2})) << "1 was predicted to be hopeless";
  EXPECT_LT(bench.products_[2], bench.products_[3]) << "a quarter behind";
}

TEST(SearchTest, VariationsOfWhatWasSlowerThanPredictedComeLaterOrNotAtAll)
{
  // 1 takes twice its prediction, 2 is as predicted; 3 varies 1, 4 and 5 vary 2
  FakeBench bench({{1, 0, 1}, {0.4, 1, 0.8}, {0.5, 1, 0.5}, {0.41, 1, 0.1, false, 1}, {0.52, 1, 0.5, false, 2}, {0.51, 1, 0.45, false, 2}});
  EXPECT_EQ(bench.search({}).chosen, 5U);
  EXPECT_EQ(bench.built_, (std::vector<std::size_t>{0, 1, 2, 5, 4}));
}

TEST(SearchTest, TypesComeBeforeVariationsOfOthersAndAreCorrectedByTheFirst)
{
  // all are faster than predicted, by as much: variations of the first seem to be far ahead of the second
  FakeBench    bench({{1, 0, 0.7}, {0.9, 1, 0.5}, {1.02, 1, 0.7, false, 0}, {1.02, 1, 0.7, false, 0}});
  const Result r = bench.search({60});
  EXPECT_EQ(bench.built_[1], 1U);
  EXPECT_EQ(r.chosen, 1U);
  // a type that is predicted to be behind comes before the variation of another
  FakeBench behind({{1, 0, 1}, {0.9, 1, 0.9}, {0.8, 1, 0.9, false, 1}, {1.1, 1, 0.5}});
  behind.search({});
  EXPECT_EQ(behind.built_, (std::vector<std::size_t>{0, 1, 3}));
}

TEST(SearchTest, ATypeIsTriedIfItIsPredictedToBeCloseToTheBest)
{
  // 1 takes less than predicted, as 2 does; 3 is far behind 1 by prediction
  FakeBench bench({{1, 0, 1}, {0.75, 1, 0.5}, {0.8, 1, 0.4}, {1.3, 1, 0.9}});
  EXPECT_EQ(bench.search({}).chosen, 2U);
  EXPECT_EQ(bench.built_, (std::vector<std::size_t>{0, 1, 2}));
  // 2 and a variation of 1 are predicted to be as far behind: types are predicted less well
  FakeBench near({{1, 0, 1}, {0.8, 1, 0.8}, {1.1, 1, 0.9}, {1.1, 1, 0.5, false, 1}});
  EXPECT_EQ(near.search({}).chosen, 1U);
  EXPECT_EQ(near.built_, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(SearchTest, WhatIsCloseAndWhatSpeaksAgainstTheModelIsTimedLonger)
{
  const auto products = [](double product) { // the model's choice is 0
    FakeBench bench({{1, 0, 1}, {1.1, 1, product}});
    bench.search({});
    return bench.products_[1];
  };
  EXPECT_EQ(products(1.02), products(1.2)) << "keeps the model's choice";
  EXPECT_GT(products(0.7), products(1.2));
  EXPECT_GT(products(0.945), products(0.7));
  EXPECT_LE(products(0.945), 100);
}

TEST(SearchTest, TheModelsChoiceIsKeptUnlessSomethingIsBetterByMore)
{
  const auto chosen = [](std::vector<FakeCandidate> candidates) { return FakeBench(std::move(candidates)).search({}).chosen; };
  EXPECT_EQ(chosen({{1, 0, 1}, {0.9, 0, 1.04}}), 1U);
  EXPECT_EQ(chosen({{1, 0, 1}, {0.9, 0, 1.06}}), 0U);
  EXPECT_EQ(chosen({{1, 0, 1}, {0.9, 0, 1}, {0.95, 0, 0.96}}), 1U);
  EXPECT_EQ(chosen({{1, 0, 1}, {0.9, 0, 1}, {0.95, 0, 0.94}}), 2U);
}

TEST(SearchTest, VariationsHaveToBeBetterByMoreThanTypes)
{
  const auto chosen = [](double product, int varies) { // the model's choice is 1, and slow
    return FakeBench({{1, 0, 1}, {0.9, 0, 2}, {1.1, 0, product, false, varies}}).search({}).chosen;
  };
  EXPECT_EQ(chosen(0.99, -1), 0U);
  EXPECT_EQ(chosen(0.97, -1), 2U);
  EXPECT_EQ(chosen(0.97, 0), 0U);
  EXPECT_EQ(chosen(0.95, 0), 2U);
}

TEST(SearchTest, TellsOfImprovements)
{
  FakeBench                bench({{1, 0, 1}, {0.7, 1, 0.8}, {0.8, 1, 0.9}, {0.9, 1, 0.6}});
  std::vector<std::size_t> told;
  std::vector<Prospect>    prospects;
  for (const auto &c : bench.candidates_) prospects.push_back({c.predicted, c.build});
  select::search(prospects, {}, bench, [&](std::size_t c) { told.push_back(c); });
  EXPECT_EQ(told, (std::vector<std::size_t>{0, 1, 3}));
}

/// A machine that others use, too: products take up to 4 % more or less by chance, and 1.6 times as long while a
/// neighbour is busy, which comes and goes. After a build, and after products of another candidate, a processor learns
/// anew.
class NoisyBench final : public FakeBench {
public:
  struct Learning {
    double after_build = 0, after_another = 0; ///< what the first product takes more; the next one half of that, and so on
    int    products = 1;                       ///< of which each takes as much
  };

  NoisyBench(std::vector<FakeCandidate> candidates, Learning learning, unsigned seed)
    : FakeBench(std::move(candidates)), learning_(learning), random_(seed)
  {
  }

  std::string build(int slot, std::size_t c) override
  {
    since_build_[slot] = 0;
    return FakeBench::build(slot, c);
  }
  void multiply(int slot) override
  {
    since_switch_       = slots_[slot] == last_ ? since_switch_ + 1 : 0;
    const double before = now_;
    FakeBench::multiply(slot);
    const int    build = since_build_[slot]++ / learning_.products;
    const double more  = learning_.after_build * std::ldexp(1.0, -build) + learning_.after_another * std::ldexp(1.0, -since_switch_);
    now_               = before + (now_ - before) * (1 + more) * (1 + 0.04 * uniform_(random_)) * (is_busy() ? 1.6 : 1);
  }

private:
  bool is_busy()
  {
    for (; now_ >= changes_; busy_ = !busy_) changes_ += -40 * std::log((1 + uniform_(random_)) / 2 + 1e-9);
    return busy_;
  }

  Learning                               learning_;
  std::mt19937                           random_;
  std::uniform_real_distribution<double> uniform_{-1, 1};
  bool                                   busy_         = false;
  double                                 changes_      = 0;
  int                                    since_switch_ = 0, since_build_[2] = {0, 0};
};

/// In how many of a hundred searches the candidate is chosen.
int percent_chosen(const std::vector<FakeCandidate> &candidates, NoisyBench::Learning learning, std::size_t candidate)
{
  int times = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) times += NoisyBench(candidates, learning, seed).search({}).chosen == candidate;
  return times / 4;
}

TEST(NoisySearchTest, FindsTheOptionThatIsATenthFaster)
{
  EXPECT_GE(percent_chosen({{1, 0, 1}, {0.7, 25, 0.7}, {0.715, 25, 0.63, false, 1}}, {1, 0.3}, 2), 95);
}

TEST(NoisySearchTest, KeepsWhatIsAsGood)
{
  EXPECT_GE(
    percent_chosen({{1, 0, 1}, {0.7, 25, 0.7}, {0.715, 25, 0.71, false, 1}, {0.72, 25, 0.72, false, 1}, {0.8, 30, 0.74}}, {1, 0.3}, 1), 95);
}

TEST(NoisySearchTest, WaitsForATypeThatAProcessorLearnsSlowly)
{
  EXPECT_GE(percent_chosen({{1, 0, 1}, {0.9, 40, 0.85}}, {1, 1.2, 8}, 1), 95);
}

TEST(RatiosTest, AreClearOnceTheyAreFurtherFromTheLimitThanTheyDiffer)
{
  select::Ratios ratios;
  for (const double r : {0.9, 1.1}) ratios.add(r);
  EXPECT_NEAR(ratios.median(), 1, 1e-12);
  EXPECT_FALSE(ratios.is_clear(0.95));
  EXPECT_TRUE(ratios.is_clear(0.5));
  for (int k = 0; k < 40; ++k) ratios.add(k % 2 == 0 ? 0.9 : 1.1);
  EXPECT_TRUE(ratios.is_clear(0.95)) << "more of the same";
  ratios.add(9);
  EXPECT_NEAR(ratios.median(), 1.1, 1e-12) << "one that a slow moment has spoiled does not count for more than another";
}

constexpr std::array<std::string_view, 3> kNames{"auto", "left", "right"};
constexpr std::array<OptionSpec, 5>       kTable{{{"way", 0, 0, 2, "A way", kNames},
                                                  {"rows", 8, 1, 16, "A number"},
                                                  {"most", 0, 0, 100, "None by default"},
                                                  {"isa", 0, 0, 2, "Instruction set", kNames},
                                                  internal(device_only({"lanes", 0, 0, 2, "Lanes", kNames}))}};

TEST(CandidatesTest, VariesOneOptionAtATimeWithinItsRange)
{
  std::string text;
  for (const auto &v : select::variations(3, kTable, MemorySpace::host)) {
    EXPECT_EQ(v.type, 3);
    text += select::text_of(select::with(OptionValues(kTable), v)) + ", ";
  }
  EXPECT_EQ(text, "way=right, way=left, rows=4, rows=16, rows=2, ");
  EXPECT_EQ(select::variations(3, kTable, MemorySpace::device).size(), 7U);
}

TEST(CandidatesTest, VariationsAddUp)
{
  const OptionValues base = select::with(OptionValues(kTable), {0, "way", 2});
  EXPECT_EQ(select::text_of(select::with(base, {0, "rows", 4})), "way=right rows=4");
  EXPECT_EQ(select::text_of(OptionValues(kTable)), "defaults");
}

TEST(CandidatesTest, WhatIsWrittenIsRead)
{
  OptionValues options(kTable);
  EXPECT_EQ(select::written(options), "");
  EXPECT_EQ(select::read_options(kTable, ""), options);
  options.set("way", 2);
  options.set("rows", 3);
  EXPECT_EQ(select::written(options), "way=2 rows=3");
  EXPECT_EQ(select::read_options(kTable, "way=2 rows=3"), options);
  for (const char *bad : {"way", "way=", "way=x", "way=2x", "way=3", "unknown=1"})
    EXPECT_THROW(select::read_options(kTable, bad), FormatError) << bad;
}

} // namespace
} // namespace petscspmv::test
