// The search, on a bench whose clock moves only by what the test says that products and builds take.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <set>

#include "select/candidates.hpp"
#include "select/search.hpp"

namespace petscspmv::test {
namespace {

using select::Result;
using select::text_of;

constexpr std::array<std::string_view, 3> kTiles{"auto", "chunk", "strip"}, kIsas{"auto", "avx2", "avx512"};
const std::array<OptionSpec, 6>           kTable{{
            {"rows", 8, 1, 20, "A number"},
            internal({"stores", 0, 0, 2, "Names for experts", kTiles}),
            {"tile", 0, 0, 2, "Names", kTiles},
            {"isa", 0, 0, 2, "What is never varied", kIsas},
            device_only({"slide", 0, 0, 2, "Of no effect on the host", kTiles}),
            {"longest", 0, 0, 100, "A number that the type finds"},
}};

class FakeBench : public select::Workbench {
public:
  double      now() override { return now_; }
  std::string build(int slot, const OptionValues &options) override
  {
    EXPECT_TRUE(slots_[slot].empty()) << "what is in the slot has not been dropped";
    now_ += build_;
    built_.push_back(text_of(options));
    if (built_.back() == fails_) return "there is not enough memory";
    slots_[slot]   = built_.back();
    product_[slot] = takes_(options);
    return "";
  }
  void multiply(int slot) override
  {
    ASSERT_FALSE(slots_[slot].empty());
    now_ += product_[slot] * (1 + noise_()) + (last_ == slot ? 0 : cold_);
    last_ = slot;
  }
  void drop(int slot) override { slots_[slot].clear(); }

  Result search(double products) { return select::search(OptionValues(kTable), products, *this); }

  std::function<double(const OptionValues &)> takes_ = [](const OptionValues &) { return 1.0; };
  std::function<double()>                     noise_ = [] { return 0.0; };
  double                                      now_ = 0, build_ = 1, cold_ = 0;
  std::string                                 fails_;
  std::array<std::string, 2>                  slots_;
  std::array<double, 2>                       product_{};
  int                                         last_ = -1;
  std::vector<std::string>                    built_;
};

TEST(SearchTest, TriesNamesFirstAndNumbersLast)
{
  FakeBench bench;
  EXPECT_TRUE(bench.search(1e6).all);
  EXPECT_EQ(bench.built_, (std::vector<std::string>{"defaults", "tile=strip", "tile=chunk", "stores=strip", "stores=chunk", "rows=4",
                                                    "rows=16", "rows=2"}));
}

TEST(SearchTest, KeepsWhatHelpsAndBuildsOnIt)
{
  FakeBench bench;
  bench.takes_ = [](const OptionValues &o) {
    return (o["tile"] == 1 ? 0.8 : 1) * (o["rows"] == 16 ? 0.9 : 1) * (o["stores"] == 2 ? 1.1 : 1);
  };
  const Result r = bench.search(1e6);
  EXPECT_EQ(text_of(r.chosen), "rows=16 tile=chunk");
  EXPECT_EQ(bench.slots_[r.slot], "rows=16 tile=chunk");
  EXPECT_EQ(bench.slots_[1 - r.slot], "");
  EXPECT_NEAR(r.product, 0.72, 1e-9);
  EXPECT_NEAR(r.at_first, 1, 1e-9);
  EXPECT_NEAR(r.seconds, bench.now_, 1e-9);
}

TEST(SearchTest, BeginsWithTheOptionsThatAreGiven)
{
  FakeBench    bench;
  OptionValues start(kTable);
  start.set("tile", 2);
  bench.takes_ = [](const OptionValues &o) { return o["tile"] == 0 ? 0.5 : 1; };
  EXPECT_EQ(text_of(select::search(start, 1e6, bench).chosen), "defaults");
}

TEST(SearchTest, StaysWithinTheBudget)
{
  for (const double products : {1.0, 50.0, 100.0, 200.0, 400.0})
    for (const double build : {0.1, 10.0, 60.0}) {
      FakeBench bench;
      bench.build_       = build;
      bench.takes_       = [](const OptionValues &o) { return o["rows"] == 16 ? 0.5 : 1; };
      const Result r     = bench.search(products);
      const double first = build + 40; // what is there already is built and timed in any case
      EXPECT_LE(bench.now_, std::max(products, first)) << products << ", " << build;
      EXPECT_EQ(r.all, r.trials == 8);
      EXPECT_GE(r.slot, 0);
    }
}

TEST(SearchTest, GivesUpEarlyWhatIsFarBehind)
{
  FakeBench slow, near;
  slow.takes_ = [](const OptionValues &o) { return o["tile"] == 0 ? 1 : 1.5; };
  near.takes_ = [](const OptionValues &o) { return o["tile"] == 0 ? 1 : 0.98; };
  slow.search(1e6);
  near.search(1e6);
  EXPECT_LT(slow.now_, near.now_);
}

// What the other candidate's product has put out of the caches does not count: a program multiplies again and again.
TEST(SearchTest, TimesProductsThatFollowOneOfTheSame)
{
  FakeBench bench;
  bench.cold_    = 0.5;
  bench.takes_   = [](const OptionValues &o) { return o["tile"] == 1 ? 0.8 : 1; };
  const Result r = bench.search(1e6);
  EXPECT_EQ(text_of(r.chosen), "tile=chunk");
  EXPECT_NEAR(r.product, 0.8, 1e-9);
}

TEST(SearchTest, IsNotFooledByASlowMachine)
{
  std::mt19937 random(4711);
  for (int time = 0; time < 20; ++time) {
    FakeBench bench;
    bench.noise_ = [&random] { return random() % 8 == 0 ? 0.5 : 0.01 * double(random() % 3); };
    bench.takes_ = [](const OptionValues &o) { return o["tile"] == 1 ? 0.85 : 1; };
    EXPECT_EQ(bench.search(1e6).chosen["tile"], 1) << time;
  }
}

TEST(SearchTest, PassesOverWhatCannotBeBuilt)
{
  FakeBench bench;
  bench.fails_ = "tile=strip";
  bench.takes_ = [](const OptionValues &o) { return o["tile"] == 2 ? 0.5 : o["tile"] == 1 ? 0.8 : 1; };
  EXPECT_EQ(text_of(bench.search(1e6).chosen), "tile=chunk");
}

TEST(SearchTest, ChangesNothingWhereNothingCanBeBuilt)
{
  FakeBench bench;
  bench.fails_   = "defaults";
  const Result r = bench.search(1e6);
  EXPECT_EQ(r.slot, -1);
  EXPECT_EQ(text_of(r.chosen), "defaults");
  EXPECT_EQ(bench.built_.size(), 1U);
}

} // namespace
} // namespace petscspmv::test
