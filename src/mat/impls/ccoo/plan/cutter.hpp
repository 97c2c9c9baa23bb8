#pragma once

/// \file cutter.hpp
/// Rows that go into chunks: where each chunk begins and ends.

#include <algorithm>
#include <utility>
#include <vector>

#include "impls/ccoo/plan/plan.hpp"
#include "impls/ccoo/tiles/chunk.hpp"

namespace petscspmv::ccoo {

/// Cuts ranges of rows, one after the other.
template <class Scalar, class Index> class Cutter {
public:
  Cutter(const CsrView<Scalar, Index> &a, const Rules &rules) : a_(a), rules_(rules) { }

  std::vector<Chunk>                   chunks; ///< with their rows, but without columns and codings
  std::vector<Index>                   begin;  ///< first entry of each chunk
  std::vector<std::pair<Local, Local>> gaps;   ///< rows without entries between two chunks: the first, and how many

  void cut(const RowRange &range)
  {
    const auto [first, last, is_long] = range;
    const std::size_t before          = chunks.size();
    if (is_long && rules_.panel < a_.cols) cut_long_row(first);
    else cut_rows(first, last, rules_.tile == TileChoice::chunk ? rules_.chunk : is_long ? rules_.piece : rules_.most_chunk);
    Local      next = first;
    const auto gap  = [&](Local end) {
      if (next < end) gaps.emplace_back(next, end - next);
    };
    for (std::size_t i = before; i < chunks.size(); ++i) {
      gap(chunks[i].row);
      const Index end   = begin[i] + static_cast<Index>(chunks[i].entries);
      const Local limit = i + 1 < chunks.size() ? std::min<Local>(chunks[i + 1].row + 1, last) : last; // near, where it is in a cache
      next              = static_cast<Local>(std::lower_bound(a_.row_ptr + chunks[i].row, a_.row_ptr + limit + 1, end) - a_.row_ptr);
    }
    gap(last);
  }

private:
  /// Chunks of the entries of rows first .. last - 1, in order.
  void cut_rows(Local first, Local last, std::int64_t entries)
  {
    Local row = first;
    for (Index from = a_.row_ptr[first], stop = a_.row_ptr[last]; from < stop;) {
      while (a_.row_ptr[row + 1] <= from) ++row;
      Chunk c{row, 0, 0};
      c.continues      = from > a_.row_ptr[row];
      Index       at   = from;
      const Index most = from + static_cast<Index>(std::min<std::int64_t>(entries, stop - from));
      for (; row < last && at < most && row - c.row < chunk_limit; ++row) {
        const Index end = a_.row_ptr[row + 1];
        if (end == at) continue;
        if (end > most && at > from && end - at <= static_cast<Index>(rules_.whole)) break;
        c.gaps = c.gaps || row - c.row != static_cast<Local>(c.segments);
        ++c.segments;
        c.ends = end <= most;
        at     = std::min(end, most);
        if (!c.ends) break;
      }
      c.entries = static_cast<std::uint32_t>(at - from);
      chunks.push_back(c);
      begin.push_back(from);
      from = at;
    }
  }

  /// Pieces of a row that end with panels of x, unless they became too short.
  void cut_long_row(Local row)
  {
    const Index stop = a_.row_ptr[row + 1];
    for (Index from = a_.row_ptr[row]; from < stop;) {
      const Index least = from + static_cast<Index>(std::min<std::int64_t>(tuning::least_piece_entries, stop - from));
      const Index most  = from + static_cast<Index>(std::min<std::int64_t>(rules_.piece, stop - from));
      const auto  end   = (std::int64_t(a_.col[from]) / rules_.panel + 1) * rules_.panel;
      const auto *cut   = std::lower_bound(a_.col + least, a_.col + most, end, [](Index col, std::int64_t c) { return col < c; });
      const auto  at    = static_cast<Index>(cut - a_.col);
      Chunk       c{row, static_cast<std::uint32_t>(at - from), 1};
      c.continues = from > a_.row_ptr[row];
      c.ends      = at == stop;
      chunks.push_back(c);
      begin.push_back(from);
      from = at;
    }
  }

  const CsrView<Scalar, Index> &a_;
  const Rules                  &rules_;
};

} // namespace petscspmv::ccoo
