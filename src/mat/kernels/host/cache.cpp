#include "kernels/host/cache.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace petscspmv::kernels {
namespace {

// What sysconf says on a virtual machine may be the caches of the whole machine below.

/// What a file that describes cache number `index` says, or nothing.
std::string read(int index, const std::string &what)
{
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/" + what);
  std::string   text;
  std::getline(file, text);
  return text;
}

/// Bytes of the largest cache of this level, or of any (0), or `otherwise`.
std::int64_t largest_cache(int level, std::int64_t otherwise)
{
  std::int64_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    std::istringstream text(read(index, "size"));
    std::int64_t       size = 0;
    char               unit = 0;
    if (level > 0 && read(index, "level") != std::to_string(level)) continue;
    if (text >> size >> unit) largest = std::max(largest, size * (unit == 'M' ? 1 << 20 : 1 << 10));
  }
  return largest > 0 ? largest : otherwise;
}

} // namespace

std::int64_t last_level_cache()
{
  static const std::int64_t bytes = largest_cache(0, std::int64_t(32) << 20);
  return bytes;
}

std::int64_t second_cache()
{
  static const std::int64_t bytes = largest_cache(2, second_cache_bytes);
  return bytes;
}

bool is_last_cache_slow()
{
#if defined(__x86_64__)
  return __builtin_cpu_is("intel") && __builtin_cpu_supports("avx512f");
#else
  return false;
#endif
}

bool comes_from_afar(std::int64_t bytes)
{
  return bytes > (is_last_cache_slow() ? second_cache() : memory_bytes);
}

} // namespace petscspmv::kernels
