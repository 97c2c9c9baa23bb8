#pragma once

/// \file baseline.hpp
/// This run against an earlier one.

#include <string>
#include <vector>

#include "records/record.hpp"

namespace petscspmv::bench {

struct BaselineResult {
  std::string text;            ///< for the terminal
  int         regressions = 0; ///< slower by more than the tolerance, or no longer right
  int         compared    = 0;
};

/// Compares the times of the same competitors on the same matrices. Machines that differ are said; times are compared
/// all the same.
BaselineResult compare_with_baseline(const std::vector<Record> &records, const std::vector<Record> &baseline, double tolerance);

} // namespace petscspmv::bench
