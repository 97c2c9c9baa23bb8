#pragma once

/// \file csv.hpp
/// Records as a table for spreadsheets: one line a record, the columns that people sort and plot by.

#include <string>
#include <vector>

#include "records/record.hpp"

namespace petscspmv::bench {

std::string to_csv(const std::vector<Record> &records);

} // namespace petscspmv::bench
