#include "matrix/memory.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>

namespace petscspmv::bench {

namespace {

constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();

std::int64_t first_number(const char *path)
{
  std::ifstream file(path);
  std::int64_t  value;
  return file >> value ? value : kUnknown; // "max" means no limit
}

std::int64_t free_memory()
{
  std::ifstream file("/proc/meminfo");
  std::string   key, unit;
  for (std::int64_t kilobytes; file >> key >> kilobytes; std::getline(file, unit))
    if (key == "MemAvailable:") return kilobytes * 1024;
  return kUnknown;
}

/// Pages of files that the kernel gives back as soon as somebody needs memory, although they count as used.
std::int64_t reclaimable()
{
  std::ifstream file("/sys/fs/cgroup/memory.stat");
  std::string   key;
  for (std::int64_t bytes; file >> key >> bytes;)
    if (key == "inactive_file") return bytes;
  return 0;
}

std::string gigabytes(std::int64_t bytes)
{
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GB", double(bytes) / 1e9);
  return text;
}

} // namespace

std::int64_t available_memory()
{
  const std::int64_t limit = first_number("/sys/fs/cgroup/memory.max"), used = first_number("/sys/fs/cgroup/memory.current");
  return std::min(free_memory(),
                  limit == kUnknown || used == kUnknown ? kUnknown : std::max<std::int64_t>(0, limit - used + reclaimable()));
}

std::int64_t predicted_memory(const Size &size, std::size_t competitors)
{
  // In double: a file may announce sizes whose product is no 64-bit number. Each competitor holds the AIJ matrix and a
  // format of its own, which may be a little larger while it is built; the source adds the matrix and the triplets that
  // it was read from.
  const double csr = double(size.nonzeros) * (sizeof(double) + sizeof(Index)) + double(size.rows + 1) * sizeof(Index);
  const double all = csr * (1 + 2.2 * double(competitors)) + double(size.nonzeros) * 24 +
                     double(size.rows + size.cols) * 8 * double(2 + 2 * competitors) + double(size.rows) * 24;
  return std::int64_t(std::min(all, 9e18));
}

void check_memory(const std::string &matrix, const Size &size, std::int64_t needed, std::int64_t available)
{
  if (needed <= available) return;
  throw InputError("'" + matrix + "', " + std::to_string(size.rows) + " x " + std::to_string(size.cols) + " with up to " +
                   std::to_string(size.nonzeros) + " nonzeros, would need about " + gigabytes(needed) + " with these competitors, and " +
                   gigabytes(available) + " are free. Choose a smaller matrix or fewer competitors (--types, --peers).");
}

} // namespace petscspmv::bench
