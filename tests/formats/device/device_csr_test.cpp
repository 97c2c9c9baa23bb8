// What is known of aijspec alone and of aijlight alone on the device.

#include "device_problems.hpp"

namespace petscspmv::test {
namespace {

using Spec  = AijSpec<double, std::int32_t>;
using Light = AijLight<double, std::int32_t>;

class AijSpecOnDevice : public OnDeviceOnly { };
class AijLightOnDevice : public OnDeviceOnly { };

TEST_F(AijSpecOnDevice, CutsRowsWhereTheyAreLongAndRepairsWhereTheyAreEmpty)
{
  EXPECT_EQ(fact(facts<Spec>("rows alike"), "cut rows"), "0");
  EXPECT_EQ(fact(facts<Spec>("rows alike"), "pieces of dirty tiles"), "0");
  EXPECT_NE(fact(facts<Spec>("power law"), "cut rows"), "0");
  EXPECT_NE(fact(facts<Spec>("stencil with long rows"), "cut rows"), "0");
  EXPECT_NE(fact(facts<Spec>("islands"), "pieces of dirty tiles"), "0");
}

TEST_F(AijLightOnDevice, EveryWidthTicketAndThreshold)
{
  for (const Named &named : all()) {
    Problem problem(named, Mode::rounded);
    for (std::int64_t width = 1; width <= 6; ++width)
      for (std::int64_t ticket : {0, 1, 33, 1000})
        for (std::int64_t threshold : {0, 1, 40, 3000}) {
          const OptionValues options = options_of<Light>({{"width", width}, {"ticket", ticket}, {"threshold", threshold}});
          SCOPED_TRACE(named.name + ", " + describe(options));
          OnDevice<Light> format(problem.a.view(), options, {});
          for (const auto &c : problem.cases) {
            const auto y = Problem::multiply(format, c, 0.5, -1.0);
            ASSERT_EQ(problem.wrong(format, c, 0.5, -1.0), "");
            ASSERT_TRUE(same_bits(y, Problem::multiply(format, c, 0.5, -1.0))) << name(c.op);
            if (threshold + ticket > 0) break; // transposes only with what is chosen for them
          }
        }
  }
}

// Twenty rows that have a third of all entries, as in circuits.
TEST_F(AijLightOnDevice, LongRowsAreCutAndDealtToAll)
{
  const Named     circuit{"circuit",
                      [] { return P::random(200000, 200000, 71, [](std::int32_t r, auto &) { return r % 10000 == 4567 ? 30000 : 6; }); }};
  Problem         problem(circuit, Mode::rounded);
  OnDevice<Light> format(problem.a.view(), options_of<Light>({}), {});
  EXPECT_EQ(fact(format.format().facts(), "long rows"), "20");
  EXPECT_GE(std::stoi(fact(format.format().facts(), "pieces of long rows")), 100);
  for (const auto &c : problem.cases) EXPECT_EQ(problem.wrong(format, c, 1.0, 0.0), "");
}

TEST_F(AijLightOnDevice, TakesWhatIsAskedFor)
{
  const Facts asked = facts<Light>("half empty", options_of<Light>({{"width", 4}, {"ticket", 77}}));
  EXPECT_EQ(fact(asked, "lanes a row"), "8");
  EXPECT_EQ(fact(asked, "rows a ticket"), "77");
  EXPECT_EQ(fact(asked, "tickets"), "780");
  EXPECT_EQ(fact(facts<Light>("rows alike"), "lanes a row"), "2");
  EXPECT_EQ(fact(facts<Light>("7-point stencil"), "lanes a row"), "1");
}

} // namespace
} // namespace petscspmv::test
