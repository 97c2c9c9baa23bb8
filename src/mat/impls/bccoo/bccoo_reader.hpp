#pragma once

/// \file bccoo_reader.hpp
/// The rows of a matrix read as blocks: the one way from CSR to blocks, for counting, writing and refreshing alike.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/csr_view.hpp"
#include "impls/bccoo/bccoo_layout.hpp"

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
  // c times the factor fits 64 bits, and is too large by less than c / 2^34 < 1 / 8, which is less than what is missing to the next multiple of
  // 3, 5, 6 or 7.
  static constexpr int bits = 34;
  std::uint64_t        factor_;
  int                  shift_;
};

/// Goes through the blocks of a block row in the order of their columns. A column that a row has several times is in as many blocks, which
/// follow each other.
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

  /// Takes the next block, if there is one: entry(place in the block, number of the entry in the matrix) for each of its entries. Returns its
  /// block column, or -1.
  template <class Entry> [[gnu::always_inline]] Local next(const Entry &entry) { return alike_ ? next_of_all(entry) : next_of_each(entry); }

  /// True if blocks are of single rows whose columns ascend: entries() reads these faster.
  bool of_single_rows() const { return h_ == 1 && grid_.sorted; }

  /// The entries of a single row, the next block being number b, up to where block number `end` begins: entry(number of the block, its column,
  /// place in it, number of the entry in the matrix). No branch depends on where a block begins, which no processor foresees. Returns the
  /// number of the next block.
  template <class Entry> [[gnu::always_inline]] std::uint32_t entries(std::uint32_t b, std::uint32_t end, const Entry &entry)
  {
    const Index last_first = static_cast<Index>(grid_.cols) - w_;
    Index       block = -1, before = -1, k = next_[0];
    for (; k < end_[0]; ++k) {
      const Index c = a_.col[k], here = by_width_(c);
      const auto  begins = static_cast<std::uint32_t>((here != block) | (c == before));
      if (b + begins > end) break;
      b += begins;
      entry(b - 1, static_cast<Local>(here), static_cast<int>(c - std::min(here * w_, last_first)), k);
      block  = here;
      before = c;
    }
    next_[0] = k;
    return b;
  }

  /// True if the block row has been read to its end.
  bool at_end() const
  {
    bool end = true;
    for (int i = 0; i < rows_; ++i) end &= next_[i] >= end_[i];
    return end;
  }

private:
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
      for (Index q = 0; q < n; ++q) entry(from + static_cast<int>(col[q] - first) * step, next_[i] + q);
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
        entry(from + static_cast<int>(c - first) * step, entry_number(i, k));
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
};

} // namespace petscspmv::bccoo
