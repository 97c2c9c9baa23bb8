// Commits the error that it is asked for, so that a sanitizer which is not at work does not look like code without
// errors.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include <Kokkos_Core.hpp>

namespace {

using Range = Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>;

// Two parallel loops where the second reads what other threads of the first have written, which is no race: between the
// two all threads wait for each other. With `planted` every thread also writes to one place, which is.
void threads(bool planted)
{
  Kokkos::initialize(Kokkos::InitializationSettings().set_num_threads(4).set_disable_warnings(true));
  {
    const int           n = 1000;
    std::vector<double> a(n), b(n);
    double              place = 0;
    for (int repeat = 0; repeat < 20; ++repeat) {
      Kokkos::parallel_for(Range(0, n), [&](int i) { a[i] += i; });
      Kokkos::parallel_for(Range(0, n), [&](int i) {
        b[i] += a[n - 1 - i];
        if (planted) place += b[i];
      });
      for (double &x : a) x += b[0];
    }
    std::printf("%g %g\n", a[0], place);
  }
  Kokkos::finalize();
}

} // namespace

int main(int argc, char **argv)
{
  const char   *which = argc > 1 ? argv[1] : "";
  volatile int  index = 10;
  volatile char sink  = 0;

  if (!std::strcmp(which, "none")) {
    threads(false);
  } else if (!std::strcmp(which, "race")) {
    threads(true);
  } else if (!std::strcmp(which, "overflow")) {
    std::vector<char> bytes(10);
    sink = bytes.data()[index];
  } else if (!std::strcmp(which, "leak")) {
    char *volatile lost = static_cast<char *>(std::malloc(100));
    sink = lost[0] = 1;
    lost           = nullptr;
  } else if (!std::strcmp(which, "undefined")) {
    index = std::numeric_limits<int>::max();
    index = index + 1;
  } else {
    std::fprintf(stderr, "usage: planted none|race|overflow|leak|undefined\n");
    return 2;
  }
  return sink == 2;
}
