#pragma once

/// \file next_tile.hpp
/// Prefetches what a gather tile will need while the tile before it is summed.
///
/// No processor predicts x that is read by index, and so each line of it that no near cache has makes a product
/// wait. But the rows of a tile share most of them: 512 rows of a mesh have 7,500 entries in 205 lines, which are
/// listed. Rows of a tile are not written in their order, either, so that its first sums already touch all of its lines
/// of y: these are prefetched, too.
///
/// AMD Zen 4, ns an entry without it, with x, with x and y: a mesh of 300,000 points 0.80, 0.69, 0.65, one of a million
/// 0.88, 0.75, 0.69.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "impls/ccoo/ccoo_kernels.hpp"
#include "impls/ccoo/ccoo_layout.hpp"

namespace petscspmv::ccoo {

/// Columns whose entries of x are in one cache line, which is numbered by the first of them over this. Where x does not
/// begin with a line, it is another one for some of them.
template <class Scalar> inline constexpr Local line_columns = 64 / sizeof(Scalar);

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

/// Prefetches the lines of the next tile, some with each group.
template <class Scalar> class NextTile {
public:
  /// `groups` is how often ask() is called.
  [[gnu::always_inline]] NextTile(const Layout<Scalar> &m, const Tile &t, const Task<Scalar> &task, int groups)
    : x_(task.x + line_columns<Scalar> / 2), y_(task.update.y() + t.row + t.rows) // the middle of a line, wherever x begins
  {
    const Tile *const next = &t + 1;
    if (!task.ahead || next == m.tile + m.tiles || next->gather.lines == 0 || groups == 0) return;
    line_  = m.x_line + next->gather.line;
    end_   = line_ + next->gather.lines;
    share_ = (static_cast<int>(next->gather.lines) + groups - 1) / groups;
    rows_  = next->rows;
  }

  /// Rows i .. i + n - 1 of this tile are about to be summed: prefetches as many of the next one.
  [[gnu::always_inline]] void ask(int i, int n)
  {
    if (rows_ == 0) return;
    for (const Local *const last = end_ - line_ < share_ ? end_ : line_ + share_; line_ < last; ++line_)
      __builtin_prefetch(x_ + std::int64_t(*line_) * line_columns<Scalar>, 0, 2);
    for (int row = i; row < i + n && row < rows_; row += line_columns<Scalar>) __builtin_prefetch(y_ + row, 1, 2);
  }

private:
  const Scalar *x_;
  Scalar       *y_;
  const Local  *line_ = nullptr, *end_ = nullptr;
  int           share_ = 0;
  Local         rows_  = 0;
};

} // namespace petscspmv::ccoo
