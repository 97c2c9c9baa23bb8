#pragma once

/// \file row_values.hpp
/// New values of a matrix whose columns are known, in the order of rows in which it is kept.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/csr_view.hpp"
#include "impls/ccoo/order/renumbering_tuning.hpp"

namespace petscspmv::ccoo {

/// The values of some consecutive rows.
template <class Scalar, class Index> class RowWindow {
public:
  /// Row i begins at val[begin[i] - first]. There are `rows` rows in all, and those before `end` are at hand.
  RowWindow(std::int64_t rows, std::int64_t end, const Index *begin, const Scalar *val, Index first)
    : rows_(rows), end_(end), begin_(begin), val_(val), first_(first)
  {
  }

  std::int64_t  rows() const { return rows_; }
  const Scalar *operator[](std::int64_t row) const { return val_ + (begin_[row] - first_); }

  /// Asks for n values before they are needed, from the `skip`-th on after the beginning of `row`, as far as there are
  /// such; to the second cache, as they are more than the first holds.
  [[gnu::always_inline]] void ask_for(std::int64_t row, std::ptrdiff_t skip, std::ptrdiff_t n) const
  {
    constexpr std::ptrdiff_t line = 64 / sizeof(Scalar);
    if (row >= end_) return;
    const Scalar *const from = (*this)[row] + skip;
    n                        = std::min<std::ptrdiff_t>(n, begin_[end_] - begin_[row] - skip);
    for (std::ptrdiff_t i = 0; i < n; i += line) __builtin_prefetch(from + i, 0, 2);
  }

private:
  std::int64_t  rows_, end_;
  const Index  *begin_;
  const Scalar *val_;
  Index         first_;
};

/// The values of a matrix, row by row, in its own order of rows or in another one. Columns are not looked at.
///
/// Rows in another order are copied a few at a time, so that the copy stays in a cache. AMD Zen 4, a refresh of 300,000
/// shuffled rows of 15 entries (27-point 56^3): with a copy of all values 27 to 34 ms (21 to 25), in windows of a tile
/// 16 (15); a product of aij takes 8 (7.5).
template <class Scalar, class Index> class RowValues {
  using View = CsrView<Scalar, Index>;

public:
  using Room   = std::vector<Scalar>;
  using Window = RowWindow<Scalar, Index>;

  explicit RowValues(const View &a) : a_(a) { }

  /// Row order[i] comes i-th.
  RowValues(const View &a, const std::vector<std::int32_t> &order) : a_(a), place_(order.size()), begin_(order.size() + 1)
  {
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i + tuning::begins_ahead < order.size()) __builtin_prefetch(a.row_ptr + order[i + tuning::begins_ahead]);
      const Index *const row = a.row_ptr + order[i];
      place_[i]              = row[0];
      begin_[i + 1]          = begin_[i] + row[1] - row[0];
    }
  }

  /// The rows that come i-th to (i + n - 1)-th, or as many as there are. They are in `room` if they had to be copied.
  Window window(std::int64_t i, std::int64_t n, Room &room) const
  {
    if (place_.empty()) return {a_.rows, a_.rows, a_.row_ptr, a_.val, 0};
    const std::int64_t end = std::min<std::int64_t>(i + n, a_.rows);
    copy(i, begin_[i], static_cast<std::size_t>(begin_[end] - begin_[i]), room);
    return {a_.rows, end, begin_.data(), room.data(), begin_[i]};
  }

  /// Entries begin .. begin + n - 1 of the whole matrix in that order, of which the first is in the row that comes
  /// i-th.
  std::span<const Scalar> entries(std::int64_t i, Index begin, std::size_t n, Room &room) const
  {
    if (place_.empty()) return {a_.val + begin, n};
    copy(i, begin, n, room);
    return room;
  }

private:
  void copy(std::int64_t i, Index begin, std::size_t n, Room &room) const
  {
    room.resize(n);
    for (std::size_t done = 0; done < n; ++i) {
      ask_for(i + tuning::copied_ahead);
      const Index       skip = std::max<Index>(begin - begin_[i], 0);
      const std::size_t some = std::min(n - done, static_cast<std::size_t>(begin_[i + 1] - begin_[i] - skip));
      std::copy_n(a_.val + place_[i] + skip, some, room.data() + done);
      done += some;
    }
  }

  /// Asks for all values of the row that comes i-th.
  [[gnu::always_inline]] void ask_for(std::int64_t i) const
  {
    constexpr Index line = 64 / sizeof(Scalar);
    if (i >= a_.rows) return;
    const Scalar *const row = a_.val + place_[i];
    const Index         n   = begin_[i + 1] - begin_[i];
    for (Index k = 0; k < n; k += line) __builtin_prefetch(row + k);
    if (n > 0) __builtin_prefetch(row + n - 1);
  }

  View a_;
  // In another order; else empty.
  std::vector<Index> place_; // [rows] where the values of each row begin,
  std::vector<Index> begin_; // [rows + 1] and where they would if all were copied
};

} // namespace petscspmv::ccoo
