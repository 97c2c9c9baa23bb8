#pragma once

/// \file batch_rows.hpp
/// Which rows are in which batch.

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "impls/ccoo/device/batch/batch_arrays.hpp"
#include "impls/ccoo/device/host_kind.hpp"

namespace petscspmv::ccoo::image {

template <class Scalar> using Batches = Part<BatchKind, Scalar>;

constexpr std::uint16_t end_of(std::uint16_t word)
{
  return static_cast<std::uint16_t>(word & ~Batch::elsewhere);
}

/// The column that columns of a batch are relative to.
inline Local least_column(const Batch &b)
{
  return b.kind == Batch::part ? 0 : static_cast<Local>(b.least);
}

template <class Scalar, class Index> class BatchRows {
  static constexpr Local most = device_batch_entries, most_rows = device_batch_entries - 1; // a thread brings four ends
  static_assert(device_batch_entries < int(Batch::elsewhere));

public:
  BatchRows(const CsrView<Scalar, Index> &a, Batches<Scalar> &m) : a_(a), m_(m), rows_(static_cast<Local>(a.rows))
  {
    std::int64_t filled = 0;
    for (Local r = 0; r < rows_; ++r) filled += length(r) > 0;
    mean_ = a.nonzeros() / std::max<std::int64_t>(filled, 1);
    set_long(tuning::device_long_factor);
    by_length_ = a.nonzeros() >= tuning::device_least_filled && !needs_order();
    if (by_length_) set_long(tuning::device_long_factor_filled);
  }

  /// Those that take longest first.
  void run()
  {
    for (Local r = 0; r < rows_; ++r)
      if (length(r) > most) add_parts(r);
    list_rows();
    for (Local r = 0; r < rows_;) r = add_in_order(r);
  }

private:
  std::int64_t length(Local r) const { return a_.row_ptr[r + 1] - a_.row_ptr[r]; }
  bool         is_long(Local r) const { return length(r) > long_; }
  void         set_long(std::int64_t factor) { long_ = std::min<std::int64_t>(most, std::max(tuning::device_least_long, factor * mean_)); }

  /// From where the row in parts before it ends: only the last batch of all of them is not full.
  void add_parts(Local row)
  {
    const bool   shares = !m_.batch.empty() && m_.batch.back().least < static_cast<std::uint32_t>(most);
    const auto   first  = static_cast<std::uint32_t>(m_.batch.size()) - shares;
    std::int64_t left   = length(row);
    if (shares) {
      left -= most - m_.batch.back().least;
      m_.batch.back().least = most;
    }
    while (left > 0) {
      const auto n = static_cast<std::uint16_t>(std::min<std::int64_t>(most, left));
      left -= n;
      m_.batch.push_back({row, first, left > 0 ? std::uint16_t(0) : n, 0, 0, Batch::part, n});
    }
    ++m_.rows_in_parts;
  }

  /// Long rows that are not in parts.
  std::vector<Local> rows_to_list() const
  {
    std::vector<Local> rows;
    for (Local r = 0; r < rows_; ++r)
      if (is_long(r) && length(r) <= most) rows.push_back(r);
    return rows;
  }
  void list_rows()
  {
    if (by_length_) list_by_length(rows_to_list());
    else list_in_order(rows_to_list());
  }
  void list_in_order(const std::vector<Local> &rows)
  {
    for (const Local r : rows) {
      if (ends_.size() > rows_together(most) || ends_.back() + length(r) > most) close(Batch::listed, first_listed_);
      list(r);
    }
    close(Batch::listed, first_listed_);
  }
  /// Each batch gets the longest row that is left, and then the longest one that fits, again and again.
  void list_by_length(const std::vector<Local> &rows)
  {
    std::map<std::int64_t, std::vector<Local>> left;
    for (const Local r : rows) left[length(r)].push_back(r);
    while (!left.empty()) {
      const std::size_t together = rows_together(left.rbegin()->first);
      for (auto next = left.end(); ends_.size() <= together && next != left.begin(); next = left.upper_bound(most - ends_.back())) {
        --next;
        list(next->second.back());
        next->second.pop_back();
        if (next->second.empty()) left.erase(next);
      }
      close(Batch::listed, first_listed_);
    }
  }
  /// How many rows a batch lists whose longest one has so many entries.
  static std::size_t rows_together(std::int64_t longest)
  {
    return tuning::device_listed_steps * device_batch_threads / static_cast<std::size_t>(longest);
  }
  /// One more of the batch that is being listed.
  void list(Local row)
  {
    m_.batch_row.push_back(row);
    ends_.push_back(static_cast<std::uint16_t>(ends_.back() + length(row)));
  }

  /// Whether columns may have 16 bits only as long as rows that are side by side are in one batch.
  bool needs_order() const
  {
    constexpr Index          narrow = std::numeric_limits<std::uint16_t>::max();
    const std::vector<Local> rows   = rows_to_list();
    return a_.cols > narrow && std::all_of(rows.begin(), rows.end(), [this](Local r) {
             const auto [low, high] = std::minmax_element(a_.col + a_.row_ptr[r], a_.col + a_.row_ptr[r + 1]);
             return *high - *low <= narrow;
           });
  }

  /// Rows from `row` on. Returns the next one.
  Local add_in_order(Local row)
  {
    const Local first   = row;
    Local       entries = 0;
    for (; row < rows_ && row - first < most_rows; ++row) {
      if (!is_long(row)) entries += static_cast<Local>(length(row));
      if (entries > most) break;
      ends_.push_back(static_cast<std::uint16_t>(is_long(row) ? entries | Batch::elsewhere : entries));
    }
    close(Batch::in_order, first);
    return row;
  }

  /// A batch with the ends that have been found, if there are some.
  void close(Batch::Rows kind, Local first)
  {
    const auto rows = static_cast<Local>(ends_.size() - 1);
    if (rows > 0) {
      const auto end   = counted(m_.batch_end.size() / Batch::end_grain, "rows");
      const auto lanes = lanes_of(rows, end_of(ends_.back()));
      m_.batch.push_back({first, end, static_cast<std::uint16_t>(rows), lanes, pays_by_fours(lanes), kind, 0});
      ends_.resize((ends_.size() + Batch::end_grain - 1) / Batch::end_grain * Batch::end_grain);
      m_.batch_end.insert(m_.batch_end.end(), ends_.begin(), ends_.end());
    }
    ends_.assign(1, 0);
    first_listed_ = static_cast<Local>(m_.batch_row.size());
  }

  /// As many lanes for each row as there are, but no more than have something to do.
  static std::uint8_t lanes_of(Local rows, Local entries)
  {
    std::uint8_t k = 0;
    while ((lanes >> k) > 1 && rows << (k + 1) <= device_batch_threads && entries > rows << k) ++k;
    return k;
  }

  /// Whether a row has so much for each of its lanes that adding fours first is faster. There are so many lanes that
  /// those of a row have what is left over.
  bool pays_by_fours(int lanes) const
  {
    const auto is_long = [lanes](std::uint16_t begin, std::uint16_t end) {
      return (end_of(end) - end_of(begin)) >> lanes > tuning::device_most_summed_alone;
    };
    return lanes >= 2 && std::adjacent_find(ends_.begin(), ends_.end(), is_long) != ends_.end();
  }

  const CsrView<Scalar, Index> &a_;
  Batches<Scalar>              &m_;
  const Local                   rows_;
  std::int64_t                  mean_;      // entries of rows that have some
  std::int64_t                  long_;      // entries of a row from which on it is not among others
  bool                          by_length_; // long rows are not in the order of the matrix
  std::vector<std::uint16_t>    ends_{0};
  Local                         first_listed_ = 0;
};

} // namespace petscspmv::ccoo::image
