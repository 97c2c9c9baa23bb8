// What is known of aijspec alone on the device.

#include "device_problems.hpp"

namespace petscspmv::test {
namespace {

using Real = AijSpec<double, std::int32_t>;

class AijSpecOnDevice : public OnDeviceOnly { };

TEST_F(AijSpecOnDevice, ChoosesByTheRowPointer)
{
  EXPECT_EQ(fact(facts<Real>("7-point stencil"), "tiles"), "0");
  EXPECT_EQ(fact(facts<Real>("power law"), "row blocks"), "0");
  const Facts mixed = facts<Real>("stencil with long rows");
  EXPECT_NE(fact(mixed, "row blocks"), "0");
  EXPECT_NE(fact(mixed, "tiles"), "0");

  OptionValues options(Real::options());
  options.set("tiling", 1);
  EXPECT_NE(fact(facts<Real>("islands", options), "pieces of dirty tiles"), "0");
}

} // namespace
} // namespace petscspmv::test
