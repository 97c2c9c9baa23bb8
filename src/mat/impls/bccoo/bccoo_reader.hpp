#pragma once

/// \file bccoo_reader.hpp
/// The rows of a matrix read as blocks: the one way from CSR to blocks, for counting, writing and refreshing alike.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/csr_view.hpp"
#include "impls/bccoo/bccoo_joined_rows.hpp"
#include "impls/bccoo/bccoo_layout.hpp"

namespace petscspmv::bccoo {

/// How a matrix is cut.
struct Grid {
  Shape shape;
  Local rows = 0, cols = 0;
  int   slices   = 1;
  bool  sorted   = true; ///< columns ascend in every row, though they may repeat
  bool  distinct = true; ///< and do not

  Local        block_rows() const { return (rows + shape.rows - 1) / shape.rows; }
  Local        block_cols() const { return (cols + shape.cols - 1) / shape.cols; }
  std::int64_t all_block_rows() const { return std::int64_t(block_rows()) * slices; }
  /// The first block column of slice s.
  Local slice_begin(int s) const { return static_cast<Local>(std::int64_t(block_cols()) * s / slices); }
};

/// Division by the width of blocks without a division, which took a third of reading a matrix.
class ByWidth {
public:
  explicit constexpr ByWidth(int w)
    : factor_((w & (w - 1)) == 0 ? 1 : (std::uint64_t(1) << bits) / static_cast<unsigned>(w) + 1),
      shift_((w & (w - 1)) == 0 ? std::countr_zero(static_cast<unsigned>(w)) : bits)
  {
  }

  /// c / w for 0 <= c < 2^31, rounded down.
  template <class Index> [[gnu::always_inline]] constexpr Index operator()(Index c) const
  {
    return static_cast<Index>((static_cast<std::uint64_t>(c) * factor_) >> shift_);
  }

private:
  // c times the factor fits 64 bits, and is too large by less than c / 2^34 < 1 / 8, which is less than what is missing
  // to the next multiple of 3, 5, 6 or 7.
  static constexpr int bits = 34;
  std::uint64_t        factor_;
  int                  shift_;
};

/// Goes through the blocks of a block row in the order of their columns. A column that a row has several times is in as
/// many blocks, which follow each other.
template <class Scalar, class Index> class BlockReader {
public:
  using View = CsrView<Scalar, Index>;

  /// How far each row of a block row has been read.
  using Place = std::array<Index, longest_side>;

  BlockReader(const View &a, const Grid &grid)
    : a_(a), grid_(grid), h_(grid.shape.rows), w_(static_cast<Index>(grid.shape.cols)), by_width_(grid.shape.cols)
  {
  }

  /// Before the first block of block row r, 0 <= r < grid.all_block_rows().
  void open(std::int64_t r)
  {
    const auto  slice = static_cast<int>(r / grid_.block_rows());
    const Index row   = static_cast<Index>(r % grid_.block_rows()) * static_cast<Index>(h_);
    open_rows(row);
    if (grid_.slices == 1) return;
    const Index from = static_cast<Index>(grid_.slice_begin(slice)) * w_, to = static_cast<Index>(grid_.slice_begin(slice + 1)) * w_;
    for (int i = 0; i < rows_; ++i) {
      next_[i] = first_from(i, from);
      end_[i]  = slice + 1 == grid_.slices ? end_[i] : first_from(i, to);
    }
  }

  const Place &place() const { return next_; }
  void         go_to(const Place &place) { next_ = place; }

  /// Takes the next block, if there is one: entry(place in the block, number of the entry in the matrix) for each of
  /// its entries. Returns its block column, or -1.
  template <class Entry> [[gnu::always_inline]] Local next(const Entry &entry)
  {
    return next_block([&](Local, int place, Index k) __attribute__((always_inline)) { entry(place, k); });
  }

  /// The entries of the next blocks, in any order, the first block being number b, up to where block number `end`
  /// begins: entry(number of the block, its column, place in it, number of the entry in the matrix). Where it can be,
  /// no branch depends on where a block begins, which no processor foresees; but rows that are alike are read block by
  /// block: row after row, refreshes of bcsstk16 and teko_nsjac took 1.2 and 1.3 times as long (AMD Zen 3). Returns the
  /// number of the next block.
  template <class Entry> [[gnu::always_inline]] std::uint32_t entries(std::uint32_t b, std::uint32_t end, const Entry &entry)
  {
    if (h_ == 1 && grid_.sorted) return entries_of_row(b, end, entry);
    if (const std::size_t n = alike_ ? 0 : join().size(); n > 0 && n <= end - b) {
      entries_of_joined(b, entry);
      return b + static_cast<std::uint32_t>(n);
    }
    return entries_of_blocks(b, end, entry);
  }

  /// Calls visit(block column) for those of what is left of the block row in ascending order, once or several times;
  /// false, and nothing is done, if rows are not joined by bits.
  template <class Visit> [[gnu::always_inline]] bool for_each_column(const Visit &visit)
  {
    if (alike_ && grid_.distinct) {
      for (Index k = next_[0]; k < end_[0]; ++k) visit(block_column(a_.col[k]));
      return true;
    }
    const auto columns = join();
    for (const Local column : columns) visit(column);
    return !columns.empty();
  }

  /// The block columns of what is left of the block row, ascending, if rows are joined by bits and there are any; else
  /// none. They stay until the next call of this or of entries().
  std::span<const Local> join()
  {
    if (!grid_.distinct || pause_-- > 0) return {};
    const int    rows  = alike_ ? 1 : rows_;
    Index        least = std::numeric_limits<Index>::max(), most = -1;
    std::int64_t n = 0;
    for (int i = 0; i < rows; ++i) {
      if (next_[i] >= end_[i]) continue;
      least = std::min(least, a_.col[next_[i]]);
      most  = std::max(most, a_.col[end_[i] - 1]);
      n += end_[i] - next_[i];
    }
    pause_ = 0;
    if (n == 0) return {};
    if (!joined_.begin(block_column(least), block_column(most), n)) {
      pause_ = tuning::joined_pause;
      return {};
    }
    for (int i = 0; i < rows; ++i) joined_.add(a_.col + next_[i], a_.col + end_[i], by_width_);
    return joined_.end();
  }

  /// Goes to the end of block column `last`, where columns are distinct. Returns how many entries are left out.
  std::int64_t skip_to_end_of(Local last)
  {
    std::int64_t n = 0;
    for (int i = 0; i < rows_; ++i) {
      const Index end = end_of(i, last);
      n += end - next_[i];
      next_[i] = end;
    }
    return n;
  }
  /// Leaves out what is behind it.
  void stop_at_end_of(Local last)
  {
    for (int i = 0; i < rows_; ++i) end_[i] = end_of(i, last);
  }

  /// Entries that are left of the block row.
  std::int64_t left() const
  {
    std::int64_t n = 0;
    for (int i = 0; i < rows_; ++i) n += end_[i] - next_[i];
    return n;
  }

private:
  template <class Entry> [[gnu::always_inline]] Local next_block(const Entry &entry)
  {
    return alike_ ? next_of_all(entry) : next_of_each(entry);
  }

  // Each of these ways is a function of its own: together in one, they have too few registers.
  template <class Entry> [[gnu::noinline]] std::uint32_t entries_of_blocks(std::uint32_t b, std::uint32_t end, Entry entry)
  {
    for (; b < end; ++b)
      if (next_block([ b, &entry ](Local column, int place, Index k) __attribute__((always_inline)) { entry(b, column, place, k); }) < 0)
        break;
    return b;
  }

  template <class Entry> [[gnu::always_inline]] std::uint32_t entries_of_row(std::uint32_t b, std::uint32_t end, const Entry &entry)
  {
    const ByWidth      by_width = by_width_;
    const Index *const col      = a_.col;
    const Index        w = w_, last_first = static_cast<Index>(grid_.cols) - w, stop = end_[0];
    Index              block = -1, before = -1, k = next_[0];
    for (; k < stop; ++k) {
      const Index c = col[k], here = by_width(c);
      const auto  begins = static_cast<std::uint32_t>((here != block) | (c == before));
      if (b + begins > end) break;
      b += begins;
      entry(b - 1, static_cast<Local>(here), static_cast<int>(c - std::min(here * w, last_first)), k);
      block  = here;
      before = c;
    }
    next_[0] = k;
    return b;
  }

  /// What has been joined, row after row.
  template <class Entry> [[gnu::noinline]] void entries_of_joined(std::uint32_t b, Entry entry)
  {
    const ByWidth             by_width = by_width_;
    const JoinedRows::Numbers number   = joined_.numbers();
    const Index *const        col      = a_.col;
    const Index               w = w_, last_first = static_cast<Index>(grid_.cols) - w;
    const int                 step = grid_.shape.place(0, 1);
    for (int i = 0; i < rows_; ++i) {
      const int   from = grid_.shape.place(i, 0);
      const Index end  = end_[i];
      for (Index k = next_[i]; k < end; ++k) {
        const Index c = col[k], here = by_width(c);
        entry(b + number(static_cast<Local>(here)), static_cast<Local>(here),
              from + static_cast<int>(c - std::min(here * w, last_first)) * step, k);
      }
      next_[i] = end;
    }
  }

  /// Rows that have the same columns are where the first one is.
  template <class Entry> [[gnu::always_inline]] Local next_of_all(const Entry &entry)
  {
    const Index begin = next_[0];
    if (begin >= end_[0]) return -1;
    const Index  block = by_width_(a_.col[begin]), behind = (block + 1) * w_;
    const Index  first = std::min(block * w_, static_cast<Index>(grid_.cols) - w_);
    const int    step  = grid_.shape.place(0, 1);
    const Index *col   = a_.col + begin;
    Index        n     = 1;
    while (begin + n < end_[0] && col[n] < behind && col[n] != col[n - 1]) ++n;
    for (int i = 0; i < rows_; ++i) {
      const int from = grid_.shape.place(i, 0);
      for (Index q = 0; q < n; ++q) entry(static_cast<Local>(block), from + static_cast<int>(col[q] - first) * step, next_[i] + q);
      next_[i] += n;
    }
    return static_cast<Local>(block);
  }

  template <class Entry> [[gnu::always_inline]] Local next_of_each(const Entry &entry)
  {
    constexpr Index none  = std::numeric_limits<Index>::max();
    Index           least = none;
    for (int i = 0; i < rows_; ++i)
      if (next_[i] < end_[i]) least = std::min(least, column(i, next_[i]));
    if (least == none) return -1;
    const Index block = by_width_(least), behind = (block + 1) * w_;
    const Index first = std::min(block * w_, static_cast<Index>(grid_.cols) - w_);
    const int   step  = grid_.shape.place(0, 1);
    for (int i = 0; i < rows_; ++i) {
      const int from   = grid_.shape.place(i, 0);
      Index     before = -1;
      for (Index k = next_[i]; k < end_[i]; ++k) {
        const Index c = column(i, k);
        if (c >= behind || c == before) break;
        entry(static_cast<Local>(block), from + static_cast<int>(c - first) * step, entry_number(i, k));
        before   = c;
        next_[i] = k + 1;
      }
    }
    return static_cast<Local>(block);
  }

  void open_rows(Index row)
  {
    rows_ = static_cast<int>(std::min<Index>(static_cast<Index>(h_), a_.rows - row));
    if (!grid_.sorted && row != row_) sort_rows(row);
    row_ = row;
    for (int i = 0; i < rows_; ++i) {
      next_[i] = a_.row_ptr[row + i];
      end_[i]  = a_.row_ptr[row + i + 1];
    }
    alike_ = grid_.sorted;
    for (int i = 1; i < rows_ && alike_; ++i)
      alike_ = end_[i] - next_[i] == end_[0] - next_[0] && std::equal(a_.col + next_[0], a_.col + end_[0], a_.col + next_[i]);
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
    begin_ = begin;
  }

  [[gnu::always_inline]] Index entry_number(int, Index k) const { return grid_.sorted ? k : order_[static_cast<std::size_t>(k - begin_)]; }
  [[gnu::always_inline]] Index column(int i, Index k) const { return a_.col[entry_number(i, k)]; }
  [[gnu::always_inline]] Local block_column(Index c) const { return static_cast<Local>(by_width_(c)); }

  /// The first entry of row i whose column is at least c.
  Index first_from(int i, Index c) const
  {
    Index low = a_.row_ptr[row_ + i], high = a_.row_ptr[row_ + i + 1];
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      if (column(i, middle) < c) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  Index end_of(int i, Local last) const
  {
    const std::int64_t behind = (std::int64_t(last) + 1) * w_;
    return behind < grid_.cols ? std::min(first_from(i, static_cast<Index>(behind)), end_[i]) : end_[i];
  }

  const View        &a_;
  const Grid         grid_;
  const int          h_;
  const Index        w_;
  const ByWidth      by_width_;
  int                rows_ = 0; // of the block row, that there are
  Index              row_ = -1, begin_ = 0;
  Place              next_{}, end_{};
  bool               alike_ = false; // all rows of the block row have the same columns
  std::vector<Index> order_;         // where columns do not ascend
  JoinedRows         joined_;
  int                pause_ = 0; // calls of join() that do not try
};

} // namespace petscspmv::bccoo
