#pragma once

/// \file report.hpp
/// The report on a set of records, in Markdown.

#include <string>
#include <vector>

#include "records/record.hpp"

namespace petscspmv::bench {

/// `ties`: speed-ups within 1 +- ties are neither wins nor losses.
std::string markdown_report(const std::vector<Record> &records, double ties);

/// The table of one matrix for the terminal: the records of one matrix and regime.
std::string terminal_table(const std::vector<Record> &records);

/// What the columns of roofs say, to stand once under all tables; nothing if there are none.
std::string roof_legend(const std::vector<Record> &records);

} // namespace petscspmv::bench
