#pragma once

/// \file reader_cases.hpp
/// The files in tests/readers, which every reader of Matrix Market files is tested with, and what they hold.

#include <cstdint>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace petscspmv::test {

struct ReaderCase {
  std::string         path;
  std::string         kind; ///< "matrix", "complex" or "refused", see tests/readers/expected.txt
  int                 rows = 0, cols = 0;
  std::vector<double> values;   ///< row by row
  int                 line = 0; ///< that is refused
};

/// All of them, from that folder. Throws if its list is not as it should be.
inline std::vector<ReaderCase> reader_cases(const std::string &folder)
{
  std::vector<ReaderCase> cases;
  std::ifstream           list(folder + "/expected.txt");
  for (std::string text; std::getline(list, text);) {
    std::istringstream words(text);
    ReaderCase         c;
    if (!(words >> c.path) || c.path[0] == '#') continue;
    c.path = folder + "/" + c.path;
    words >> c.kind;
    if (c.kind == "refused") words >> c.line;
    else {
      words >> c.rows >> c.cols;
      c.values.assign(std::istream_iterator<double>(words), {});
    }
    const std::int64_t numbers = c.kind == "complex" ? 2 : 1;
    if (!std::ifstream(c.path) || (c.line == 0 && std::ssize(c.values) != numbers * c.rows * c.cols))
      throw std::runtime_error("expected.txt: what is '" + text + "'?");
    cases.push_back(c);
  }
  if (cases.empty()) throw std::runtime_error("There are no files for readers in " + folder);
  return cases;
}

} // namespace petscspmv::test
