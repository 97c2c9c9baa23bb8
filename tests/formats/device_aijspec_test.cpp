// What is known of aijspec alone on the device.

#include "device_problems.hpp"

namespace petscspmv::test {
namespace {

using Real = AijSpec<double, std::int32_t>;

class AijSpecOnDevice : public OnDeviceOnly { };

TEST_F(AijSpecOnDevice, ChoosesByTheRowPointer)
{
  EXPECT_EQ(fact(facts<Real>("rows alike"), "tiles"), "0");
  EXPECT_EQ(fact(facts<Real>("power law"), "row blocks"), "0");
  EXPECT_EQ(fact(facts<Real>("stencil with long rows"), "row blocks"), "0");

  OptionValues options(Real::options());
  options.set("tiling", 1);
  EXPECT_NE(fact(facts<Real>("islands", options), "pieces of dirty tiles"), "0");
}

} // namespace
} // namespace petscspmv::test
