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

#include <cstdint>

#include "impls/ccoo/ccoo_kernels.hpp"
#include "impls/ccoo/ccoo_layout.hpp"

namespace petscspmv::ccoo {

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
