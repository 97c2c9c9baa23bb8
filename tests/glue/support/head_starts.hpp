#pragma once

/// \file head_starts.hpp
/// What is left to AIJ, as in programs: the tests of what formats do from the first product on do without.

#include "glue/support/petsc.hpp"
#include "glue/shadow.hpp"

namespace petscspmv::test {

/// For the time of a test, as in programs whose products run on the host.
struct HeadStarts {
  HeadStarts() : on_host("-mat_spmv_vec_type", "standard") { shadow::head_starts = true; }
  HeadStarts(const HeadStarts &)            = delete;
  HeadStarts &operator=(const HeadStarts &) = delete;
  ~HeadStarts() { shadow::head_starts = false; }

private:
  OptionGuard on_host; // a device has none
};

} // namespace petscspmv::test
