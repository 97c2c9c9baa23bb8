#pragma once

/// \file bccoo_reader.hpp
/// The rows of a matrix read as blocks: the one way from CSR to blocks, for counting, writing and refreshing alike.

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/csr_view.hpp"
#include "impls/bccoo/bccoo_layout.hpp"
#include "kernels/rows/search.hpp"

namespace petscspmv::bccoo {

/// How a matrix is cut.
struct Grid {
  Shape shape;
  Local rows = 0, cols = 0;
  int   slices = 1;
  bool  sorted = true; ///< columns ascend in every row, though they may repeat

  Local        block_rows() const { return (rows + shape.rows - 1) / shape.rows; }
  Local        block_cols() const { return (cols + shape.cols - 1) / shape.cols; }
  std::int64_t all_block_rows() const { return std::int64_t(block_rows()) * slices; }
  /// The first block column of slice s.
  Local slice_begin(int s) const { return static_cast<Local>(std::int64_t(block_cols()) * s / slices); }
};

/// Division by the width of blocks without a division, which took a third of reading a matrix.
class ByWidth {
public:
  explicit constexpr ByWidth(int w) : inverse_(1.0 / w) { }

  /// c / w for 0 <= c < 2^31, rounded down. A half more is rounded nowhere: it is far from the next multiple.
  template <class Index> [[gnu::always_inline]] constexpr Index operator()(Index c) const
  {
    return static_cast<Index>((static_cast<double>(c) + 0.5) * inverse_);
  }

private:
  double inverse_;
};

/// The blocks of one block row after the other, in the order of their columns. A column that a row has several times is
/// in as many blocks, which follow each other.
template <class Scalar, class Index> class BlockReader {
public:
  using View = CsrView<Scalar, Index>;

  BlockReader(const View &a, const Grid &grid) : a_(a), grid_(grid), w_(static_cast<Index>(grid.shape.cols)), by_width_(grid.shape.cols) { }

  /// Reads block row r, 0 <= r < grid.all_block_rows().
  void open(std::int64_t r)
  {
    if (r == open_) return;
    const auto slice  = static_cast<int>(r / grid_.block_rows());
    const auto column = [&](int s) { return static_cast<Index>(std::min<std::int64_t>(std::int64_t(grid_.slice_begin(s)) * w_, a_.cols)); };
    open(static_cast<Index>(r % grid_.block_rows()) * static_cast<Index>(grid_.shape.rows), column(slice), column(slice + 1));
    open_ = r;
  }

  /// The same of the block row that begins with this row, in columns from .. to - 1.
  void open(Index row, Index from, Index to)
  {
    open_rows(row);
    if (from > 0 || to < a_.cols) cut(from, to);
    read();
  }

  /// Of the block row.
  std::uint32_t blocks() const { return static_cast<std::uint32_t>(keys_.size()); }
  Local         column(std::uint32_t b) const { return static_cast<Local>(keys_[b] >> 32); }

  /// Entries in blocks begin .. end - 1.
  std::int64_t entries(std::uint32_t begin, std::uint32_t end) const
  {
    std::int64_t n = 0;
    for (int i = 0; i < rows_; ++i) n += first_in(i, end) - first_in(i, begin);
    return n;
  }

  /// Calls entry(block, place in it, number of the entry in the matrix) for these, row after row. A function of its
  /// own: together with what calls it, it has too few registers.
  template <class Entry> [[gnu::noinline]] void for_each_entry(std::uint32_t begin, std::uint32_t end, Entry entry) const
  {
    const Key *const   keys     = keys_.data();
    const Index *const col      = a_.col;
    const bool         sorted   = grid_.sorted;
    const ByWidth      by_width = by_width_;
    const Index        w = w_, last = static_cast<Index>(grid_.cols) - w;
    const int          step = grid_.shape.place(0, 1);
    for (int i = 0; begin < end && i < rows_; ++i) {
      const int     from  = grid_.shape.place(i, 0);
      std::uint32_t b     = begin;
      Index         block = column(begin), first = 0, behind = 0, before = -1;
      Key           again = repeated(begin) - 1;
      for (Index k = first_in(i, begin), stop = first_in(i, end); k < stop; ++k) {
        const Index e = sorted ? k : entry_number(k), c = col[e];
        if (c >= behind || c == before) {
          const Index here = by_width(c);
          again            = here == block ? again + 1 : 0;
          block            = here;
          first            = std::min(here * w, last);
          behind           = first + w;
          while (keys[b] < key_of(here, again)) ++b;
        }
        entry(b, from + static_cast<int>(c - first) * step, e);
        before = c;
      }
    }
  }

private:
  /// A block column, and how many blocks of it are before: the order of blocks.
  using Key = std::uint64_t;
  static Key key_of(Index block, Key again) { return static_cast<Key>(block) << 32 | again; }
  Key        repeated(std::uint32_t b) const { return keys_[b] & 0xffffffff; }

  struct Row {
    Index begin = 0, end = 0;
  };

  void open_rows(Index row)
  {
    rows_ = static_cast<int>(std::min<Index>(static_cast<Index>(grid_.shape.rows), a_.rows - row));
    if (!grid_.sorted && row != first_row_) sort_rows(row);
    first_row_ = row;
    for (int i = 0; i < rows_; ++i) {
      row_[static_cast<std::size_t>(i)].begin = a_.row_ptr[row + i];
      row_[static_cast<std::size_t>(i)].end   = a_.row_ptr[row + i + 1];
    }
  }

  /// Leaves out what is before column `from`, or in column `to` and behind it.
  void cut(Index from, Index to)
  {
    for (int i = 0; i < rows_; ++i) {
      Row       &row   = row_[static_cast<std::size_t>(i)];
      const auto begin = row.begin;
      row.begin        = first_where(begin, row.end, [&](Index k) { return column_of(k) >= from; });
      row.end          = first_where(begin, row.end, [&](Index k) { return column_of(k) >= to; });
    }
  }

  /// The blocks of all rows.
  void read()
  {
    keys_.clear();
    for (int i = 0; i < rows_; ++i) {
      const Row &row = row_[static_cast<std::size_t>(i)];
      if (i > 0 && is_like_first(row)) continue;
      read_row(row);
      if (i == 0) std::swap(keys_, keys_of_row_);
      else if (keys_of_row_ != keys_) join();
    }
  }

  bool is_like_first(const Row &row) const
  {
    return grid_.sorted && row.end - row.begin == row_[0].end - row_[0].begin &&
           std::equal(a_.col + row.begin, a_.col + row.end, a_.col + row_[0].begin);
  }

  /// No branch depends on where a block begins, which no processor foresees.
  void read_row(const Row &row)
  {
    const ByWidth by_width = by_width_;
    Index         block = -1, before = -1;
    Key           again = 0;
    std::size_t   b     = 0;
    keys_of_row_.resize(static_cast<std::size_t>(row.end - row.begin));
    for (Index k = row.begin; k < row.end; ++k) {
      const Index c = column_of(k), here = by_width(c);
      const bool  other = here != block, same = c == before;
      again = other ? 0 : again + same;
      b += (other | same) & (k > row.begin);
      keys_of_row_[b] = key_of(here, again);
      block           = here;
      before          = c;
    }
    if (!keys_of_row_.empty()) keys_of_row_.resize(b + 1);
  }

  void join()
  {
    both_.resize(keys_.size() + keys_of_row_.size());
    both_.erase(std::set_union(keys_.begin(), keys_.end(), keys_of_row_.begin(), keys_of_row_.end(), both_.begin()), both_.end());
    std::swap(keys_, both_);
  }

  /// order_ gets the entries of the rows in the order of their columns, equal ones in their order.
  void sort_rows(Index row)
  {
    const Index begin = a_.row_ptr[row], end = a_.row_ptr[row + rows_];
    order_.resize(static_cast<std::size_t>(end - begin));
    for (Index k = begin; k < end; ++k) order_[static_cast<std::size_t>(k - begin)] = k;
    for (int i = 0; i < rows_; ++i)
      std::stable_sort(order_.begin() + (a_.row_ptr[row + i] - begin), order_.begin() + (a_.row_ptr[row + i + 1] - begin),
                       [this](Index p, Index q) { return a_.col[p] < a_.col[q]; });
  }

  [[gnu::always_inline]] Index entry_number(Index k) const
  {
    return grid_.sorted ? k : order_[static_cast<std::size_t>(k - a_.row_ptr[first_row_])];
  }
  [[gnu::always_inline]] Index column_of(Index k) const { return a_.col[entry_number(k)]; }

  /// The first entry of row i in block b or behind it.
  Index first_in(int i, std::uint32_t b) const
  {
    const auto &row = row_[static_cast<std::size_t>(i)];
    if (b == 0) return row.begin;
    if (b >= blocks()) return row.end;
    Index k = first_where(row.begin, row.end, [&](Index e) { return by_width_(column_of(e)) >= column(b); });
    for (Key before = repeated(b); before > 0 && k < row.end && by_width_(column_of(k)) == column(b);)
      if (++k < row.end && column_of(k) == column_of(k - 1)) --before;
    return k;
  }

  /// The first of low .. high - 1, or high, of which `is` holds: for those behind it, too.
  template <class Is> static Index first_where(Index low, Index high, const Is &is)
  {
    return low + kernels::first_where(high - low, [&](Index k) { return is(low + k); });
  }

  const View                   &a_;
  const Grid                    grid_;
  const Index                   w_;
  const ByWidth                 by_width_;
  std::int64_t                  open_      = -1;
  int                           rows_      = 0; // of the block row, that there are
  Index                         first_row_ = -1;
  std::array<Row, longest_side> row_;
  std::vector<Key>              keys_, keys_of_row_, both_; // of the blocks of the block row
  std::vector<Index>            order_;                     // where columns do not ascend
};

} // namespace petscspmv::bccoo
