#include "measure/machine.hpp"

#include <algorithm>
#include <fstream>

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "kernels/host/cache.hpp"

namespace petscspmv::bench {

namespace {

std::string cpu_name()
{
  std::ifstream file("/proc/cpuinfo");
  std::string   vendor, family, model, name;
  const auto    value = [](const std::string &line) { return line.substr(std::min(line.size(), line.find(':') + 2)); };
  for (std::string line; std::getline(file, line) && !line.empty();) {
    if (line.starts_with("cpu family")) family = value(line);
    else if (line.starts_with("model name")) name = value(line);
    else if (line.starts_with("model\t")) model = value(line);
  }
  // Virtual machines often hide the product's name; family and model tell the generation all the same.
  return family.empty() ? name : name + " (family " + family + ", model " + model + ")";
}

} // namespace

int allowed_cores()
{
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

Machine this_machine()
{
  utsname name;
  uname(&name);
  return {cpu_name(), allowed_cores(), kernels::last_level_cache(), std::int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE),
          std::string(name.sysname) + " " + name.release + " " + name.machine};
}

} // namespace petscspmv::bench
