#pragma once

/// \file versions.hpp

#include <vector>

#include "commands/competitors.hpp"

namespace petscspmv::bench {

/// Of everything that takes part, for the records.
Versions collect_versions(const std::vector<Competitor> &competitors);

} // namespace petscspmv::bench
