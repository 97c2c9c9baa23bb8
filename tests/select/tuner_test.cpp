// The search on matrices, with types that take what the test says.

#include <gtest/gtest.h>

#include "fakes.hpp"
#include "select/tuner.hpp"

namespace petscspmv::test {
namespace {

class FakeTuner final : public select::Tuner<double, std::int32_t> {
public:
  using Tuner::Tuner;
  double now() override { return fake_clock(); }
};

class TunerTest : public ::testing::Test {
protected:
  TunerTest()
  {
    world()          = {};
    world().fakes[0] = {.product = 1e-5};
    world().fakes[1] = {.product = 5e-6, .build = 1e-4};
  }
  ~TunerTest() override { EXPECT_EQ(world().alive, 0) << "something was left behind"; }

  CsrMatrix<double, std::int32_t> matrix_ = five_diagonals(1000), other_ = five_diagonals(50);
  const std::vector<Type>         types_{fake_type<0>(), fake_type<1>()};
};

TEST_F(TunerTest, BuildsEachPartAndHandsOverWhatItHasChosen)
{
  FakeTuner            tuner({matrix_.view(), other_.view()}, types_, {});
  const select::Result r = tuner.run({});
  EXPECT_EQ(tuner.type(r.chosen).name, "ccoo");
  EXPECT_EQ(r.chosen, 1U);
  EXPECT_LE(world().most_alive, 4) << "two candidates of two parts";
  ASSERT_GE(r.slot, 0);
  const auto formats = tuner.take(r.slot);
  ASSERT_EQ(formats.size(), 2U);
  EXPECT_EQ(formats[0]->facts()[0].second, "1");
}

TEST_F(TunerTest, ACandidateThatThrowsIsPassedOver)
{
  world().fakes[1].throws = true;
  FakeTuner            tuner({matrix_.view()}, types_, {});
  const select::Result r = tuner.run({});
  EXPECT_EQ(r.chosen, 0U);
  EXPECT_NE(r.trials[1].failure, "");
}

TEST_F(TunerTest, NoTimeAndNoBudgetLeaveItToTheModel)
{
  for (const select::Budget budget : {select::Budget{.products = 0}, select::Budget{.seconds = 0}}) {
    FakeTuner            tuner({matrix_.view()}, types_, {});
    const select::Result r = tuner.run(budget);
    EXPECT_EQ(r.slot, -1);
    EXPECT_EQ(r.chosen, 1U);
    EXPECT_EQ(world().fakes[1].builds, 0);
  }
}

TEST_F(TunerTest, VariationsBeginWithTheOptionsInForce)
{
  static constexpr std::array<std::string_view, 3> names{"auto", "left", "right"};
  static constexpr std::array<OptionSpec, 2>       table{{{"way", 0, 0, 2, "A way", names}, {"most", 0, 0, 9, "A number"}}};
  const std::vector<Type>                          types{fake_type<0>(table)};
  FakeTuner                                        tuner({matrix_.view()}, types, {});
  OptionValues                                     given(table);
  given.set("most", 7);
  tuner.start_from(0, given);
  const select::Result r = tuner.run({});
  EXPECT_EQ(tuner.options(r.chosen)["most"], 7);
  EXPECT_EQ(tuner.options(0), given) << "the options in force are a candidate, whatever has helped before";
  EXPECT_EQ(r.trials.size(), tuner.candidates());
  tuner.drop(0);
  tuner.drop(1);
}

TEST_F(TunerTest, ANumberThatTheTypeTellsTheSameOfIsNotBuilt)
{
  static constexpr std::array<OptionSpec, 1> table{{{"rows", 8, 1, 64, "A number"}}};
  const std::vector<Type>                    types{fake_type<0>(table)};
  FakeTuner                                  tuner({matrix_.view()}, types, {});
  const select::Result r = tuner.run({.products = 1e9}); // time enough for predictions, whose clock is not the fake one
  EXPECT_GT(tuner.candidates(), 1U);
  EXPECT_EQ(r.trials.size(), 1U);
  tuner.drop(0);
}

// A name that tells what the default tells may stand for another kernel; two names that tell the same, and something
// else than the default, do not.
TEST_F(TunerTest, NamesThatTellTheSameAreBuiltOnce)
{
  static constexpr std::array<std::string_view, 4> names{"auto", "a", "b", "c"};
  static constexpr std::array<OptionSpec, 1>       table{{{"way", 0, 0, 3, "A way", names}}};
  const std::vector<Type>                          types{fake_type<0>(table)};
  for (const bool tells : {false, true}) {
    world().fakes[0].tells = tells ? "way" : "";
    FakeTuner            tuner({matrix_.view()}, types, {});
    const select::Result r = tuner.run({.products = 1e9});
    EXPECT_EQ(r.trials.size(), tells ? 2U : 4U);
    tuner.drop(0);
    tuner.drop(1);
  }
}

TEST_F(TunerTest, AMatrixWithoutEntriesIsNoTrouble)
{
  CsrMatrix<double, std::int32_t> empty;
  FakeTuner                       tuner({empty.view()}, types_, {});
  EXPECT_NO_THROW(tuner.run({}));
}

} // namespace
} // namespace petscspmv::test
