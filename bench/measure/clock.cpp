#include "measure/clock.hpp"

#include <ctime>

namespace petscspmv::bench {

std::string SteadyClock::date()
{
  const std::time_t now = std::time(nullptr);
  std::tm           utc;
  char              text[32];
  gmtime_r(&now, &utc);
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

} // namespace petscspmv::bench
