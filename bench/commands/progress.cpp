#include "commands/progress.hpp"

#include <cstdio>

#include <unistd.h>

namespace petscspmv::bench {

Progress::Progress(std::size_t steps, bool enabled) : steps_(steps), enabled_(enabled), terminal_(isatty(STDERR_FILENO) == 1) { }

void Progress::next(const std::string &what)
{
  if (!enabled_) return;
  if (!terminal_) {
    std::fprintf(stderr, "[%zu/%zu] %s\n", ++done_, steps_, what.c_str());
    return;
  }
  constexpr std::size_t width  = 30;
  const std::size_t     filled = steps_ ? width * done_ / steps_ : width;
  std::fprintf(stderr, "\r\033[K[%s%s] %zu/%zu %s", std::string(filled, '=').c_str(), std::string(width - filled, ' ').c_str(), ++done_,
               steps_, what.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::clear()
{
  if (drawn_) std::fprintf(stderr, "\r\033[K");
  drawn_ = false;
}

} // namespace petscspmv::bench
