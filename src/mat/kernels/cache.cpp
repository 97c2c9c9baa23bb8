#include "kernels/cache.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace petscspmv::kernels {
namespace {

// What sysconf says on a virtual machine may be the caches of the whole machine below.
std::int64_t largest_cache()
{
  std::int64_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    std::int64_t  size = 0;
    char          unit = 0;
    if (file >> size >> unit) largest = std::max(largest, size * (unit == 'M' ? 1 << 20 : 1 << 10));
  }
  return largest > 0 ? largest : std::int64_t(32) << 20;
}

} // namespace

std::int64_t last_level_cache()
{
  static const std::int64_t bytes = largest_cache();
  return bytes;
}

} // namespace petscspmv::kernels
