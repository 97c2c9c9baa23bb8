#pragma once

/// \file text_table.hpp
/// Tables of text, for the terminal or in Markdown.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace petscspmv::bench {

class TextTable {
public:
  /// A heading that begins with '<' is one of text, flush left; the others are of numbers, flush right.
  explicit TextTable(std::vector<std::string> headings);

  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }

  std::string terminal() const;
  std::string markdown() const;

private:
  std::vector<std::size_t> widths() const;

  std::vector<std::string>              headings_;
  std::vector<bool>                     left_;
  std::vector<std::vector<std::string>> rows_;
};

/// Numbers as people read them.
std::string fixed(double value, int digits);
std::string mean_and_least(const std::vector<double> &gains); ///< "1.25x, 0.93x": the geometric mean first; "-" for none
std::string duration(double seconds);                         ///< "12.3 us"
std::string count(std::int64_t n);                            ///< "1.2 M"
std::string percent(double share);                            ///< "87 %"; empty for 0
std::string bytes_text(double bytes);                         ///< "12.3 MB"

} // namespace petscspmv::bench
