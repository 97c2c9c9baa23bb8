// What is known of aijlight alone on the device.

#include "device_problems.hpp"

namespace petscspmv::test {
namespace {

using Real = AijLight<double, std::int32_t>;

class AijLightOnDevice : public OnDeviceOnly {
protected:
  static OptionValues with(const std::vector<std::pair<const char *, std::int64_t>> &values)
  {
    OptionValues options(Real::options());
    for (const auto &[key, value] : values) options.set(key, value);
    return options;
  }
};

TEST_F(AijLightOnDevice, EveryWidthTicketAndThreshold)
{
  for (const Named &named : all()) {
    Problem problem(named, Mode::rounded);
    for (std::int64_t width = 1; width <= 6; ++width)
      for (std::int64_t ticket : {0, 1, 33, 1000})
        for (std::int64_t threshold : {0, 1, 40, 3000}) {
          const OptionValues options = with({{"width", width}, {"ticket", ticket}, {"threshold", threshold}});
          SCOPED_TRACE(named.name + ", " + describe(options));
          OnDevice<Real> format(problem.a.view(), options, {});
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
  const Named    circuit{"circuit",
                      [] { return P::random(200000, 200000, 71, [](std::int32_t r, auto &) { return r % 10000 == 4567 ? 30000 : 6; }); }};
  Problem        problem(circuit, Mode::rounded);
  OnDevice<Real> format(problem.a.view(), with({}), {});
  EXPECT_EQ(fact(format.format().facts(), "long rows"), "20");
  EXPECT_GE(std::stoi(fact(format.format().facts(), "pieces of long rows")), 100);
  for (const auto &c : problem.cases) EXPECT_EQ(problem.wrong(format, c, 1.0, 0.0), "");
}

TEST_F(AijLightOnDevice, TakesWhatIsAskedFor)
{
  const Facts asked = facts<Real>("half empty", with({{"width", 4}, {"ticket", 77}}));
  EXPECT_EQ(fact(asked, "lanes a row"), "8");
  EXPECT_EQ(fact(asked, "rows a ticket"), "77");
  EXPECT_EQ(fact(asked, "tickets"), "780");
  EXPECT_EQ(fact(facts<Real>("rows alike"), "lanes a row"), "2");
  EXPECT_EQ(fact(facts<Real>("7-point stencil"), "lanes a row"), "1");
}

} // namespace
} // namespace petscspmv::test
