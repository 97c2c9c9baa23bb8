#pragma once

/// \file line_finder.hpp
/// The cache lines of x that a gather tile reads (tiles/next_tile.hpp).

#include <algorithm>
#include <vector>

#include "impls/ccoo/ccoo_layout.hpp"

namespace petscspmv::ccoo {

/// Lists lines of x.
template <class Scalar> class LineFinder {
public:
  /// Begins the list of a tile with columns least .. most, which is added to `lines`.
  void begin(std::vector<Local> &lines, Local least, Local most)
  {
    lines_ = &lines;
    first_ = lines.size();
    least_ = least / line_columns<Scalar>;
    seen_.resize(std::max(seen_.size(), static_cast<std::size_t>(most / line_columns<Scalar> - least_ + 1)));
  }

  /// The columns of a row.
  template <class Index> void add(const Index *begin, const Index *end)
  {
    for (const Index *c = begin; c < end; ++c) {
      const auto line = static_cast<Local>(static_cast<std::size_t>(*c) / line_columns<Scalar>);
      char      &seen = seen_[static_cast<std::size_t>(line - least_)];
      if (seen) continue;
      seen = 1;
      lines_->push_back(line);
    }
  }

  std::size_t size() const { return lines_->size() - first_; }

  /// Ends the list, of which only the first n lines are kept.
  void end(std::size_t n)
  {
    for (std::size_t i = first_; i < lines_->size(); ++i) seen_[static_cast<std::size_t>((*lines_)[i] - least_)] = 0;
    lines_->resize(first_ + n);
  }

private:
  std::vector<char>   seen_; ///< by line from the least on, and a byte each, because bits take longer; none between two lists
  std::vector<Local> *lines_ = nullptr;
  std::size_t         first_ = 0; ///< of the list
  Local               least_ = 0; ///< line of the tile
};

} // namespace petscspmv::ccoo
