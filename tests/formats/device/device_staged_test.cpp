// Large arrays on their way to the device and back, by several threads.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device_problems.hpp"
#include "kernels/device/memory/staged.hpp"

namespace petscspmv::test {
namespace {

class StagedTest : public OnDeviceOnly { };

TEST_F(StagedTest, ArraysOfAnySizeComeBackAsTheyWent)
{
  constexpr std::size_t mib = std::size_t(1) << 20;
  for (const std::size_t bytes : {std::size_t(1), 4 * mib - 1, 4 * mib, 4 * mib + 1, 13 * mib + 7})
    for (const int threads : {1, 2, 8, 16}) {
      std::vector<std::uint8_t> given(bytes), back(bytes);
      for (std::size_t i = 0; i < bytes; ++i) given[i] = static_cast<std::uint8_t>(i * 2654435761u >> 13);
      DeviceVector<std::uint8_t> there(bytes);
      kernels::upload(there.data(), given.data(), bytes, threads);
      kernels::download(back.data(), there.data(), bytes, threads);
      EXPECT_EQ(given, back) << bytes << " bytes, threads: " << threads;
    }
}

} // namespace
} // namespace petscspmv::test
