#pragma once

/// \file results_file.hpp
/// The file of results: JSON lines, valid at any moment.

#include <set>
#include <string>
#include <vector>

#include "records/record.hpp"

namespace petscspmv::bench {

/// All records of a file. A last line that was cut off, as by a kill, is left out; any other bad line throws InputError
/// with its number.
std::vector<Record> read_results(const std::string &path);

/// The records that count: of those with the same key, the last one.
std::vector<Record> latest(const std::vector<Record> &records);

/// What to do with a file that is there already.
enum class IfExists { refuse, resume, replace };

class ResultsFile {
public:
  /// Throws InputError if the file cannot be written, or exists and `policy` is refuse.
  ResultsFile(std::string path, IfExists policy);

  /// Records from before, with resume.
  const std::vector<Record> &earlier() const { return earlier_; }

  /// True if all of these were measured before, with the same program on the same machine.
  bool holds(const std::vector<Record> &planned) const;

  /// Appends whole lines in one piece, so that a kill leaves whole lines.
  void append(const std::vector<Record> &records);

private:
  std::string           path_;
  std::vector<Record>   earlier_;
  std::set<std::string> held_; ///< what identifies them
};

} // namespace petscspmv::bench
