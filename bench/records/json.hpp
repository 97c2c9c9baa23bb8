#pragma once

/// \file json.hpp
/// Records as lines of JSON, and back.

#include <string>
#include <string_view>

#include "records/record.hpp"

namespace petscspmv::bench {

/// One line, without its end. Derived numbers are written for the reader's comfort, and not read back.
std::string to_json(const Record &record);

/// Throws InputError that says what is missing or wrong.
Record from_json(std::string_view line);

std::string      statistics_to_json(const MatrixStatistics &statistics);
MatrixStatistics statistics_from_json(std::string_view text);

} // namespace petscspmv::bench
