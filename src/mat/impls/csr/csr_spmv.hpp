#pragma once

/// \file csr_spmv.hpp
/// y = alpha A x + beta y on the lanes of a processor core: eight loops over rows, dealt in bunches by speculative
/// segmented sums (algorithm 1 of Liu & Vinter), or in tickets of rows.
///
/// Included by one source file for each instruction set; see kernels/lanes/isa.hpp for what that asks of this code.

#include "impls/csr/csr_kernels.hpp"
#include "impls/csr/csr_tuning.hpp"
#include "kernels/lanes/scalar.hpp"
#include "impls/csr/csr_node_sum.hpp"
#include "kernels/rows/search.hpp"
#include "impls/csr/csr_segments.hpp"

namespace petscspmv::csr {

/// What both ways of dealing have in common.
template <class L, class Index> class Product {
protected:
  using Scalar  = typename L::Scalar;
  using Access  = kernels::Access;
  using Update  = kernels::RowUpdate<Scalar>;
  using Partial = PartialSums<Scalar, Index>;

public:
  Product(const Layout<Scalar, Index> &a, const Scalar *x, const Update &update, Partial &partial)
    : a_(a), x_(x), update_(update), partial_(partial)
  {
  }

protected:
  /// One of the loops, with what it asks for early; nodes have a loop of their own.
  template <class Tiles, class Rows> [[gnu::always_inline]] auto in_order(const Tiles &tiles, const Rows &rows)
  {
    const bool by_tiles = goes_by_tiles(a_.order);
    switch (access_of(a_.order)) {
    case Access::cached:
      return by_tiles ? tiles.template operator()<Access::cached>() : rows.template operator()<Access::cached>();
    case Access::streams:
      return by_tiles ? tiles.template operator()<Access::streams>() : rows.template operator()<Access::streams>();
    case Access::scattered: // of tiles, those are far
      return rows.template operator()<Access::scattered>();
    case Access::far:
      return by_tiles ? tiles.template operator()<Access::far>() : rows.template operator()<Access::far>();
    }
    __builtin_unreachable();
  }

  template <Access access> [[gnu::always_inline]] Scalar dot(Index begin, Index end) const
  {
    return csr::dot<L, access>(a_.col + begin, a_.val + begin, x_, end - begin, a_.nonzeros - begin);
  }

  /// Rows from `row` on that end at or before entry `end`; `begin`, the first entry of `row`, becomes that of the row
  /// which is returned, the first that does not.
  template <Access access> [[gnu::always_inline]] Index whole_rows(Index row, Index rows, Index &begin, Index end) const
  {
    const auto go = [&, row_ptr = a_.row_ptr, col = a_.col, val = a_.val, x = x_, entries = a_.nonzeros ](const auto &write)
      __attribute__((always_inline))
    {
      Index k = begin;
      for (; row < rows && row_ptr[row + 1] <= end; ++row) {
        const Index stop = row_ptr[row + 1];
        write(row, row_dot<L, access>(col + k, val + k, x, stop - k, entries - k));
        k = stop;
      }
      begin = k;
      return row;
    };
    if (update_.only_stores()) return go([y = update_.y()](Index r, Scalar sum) __attribute__((always_inline)) { y[r] = sum; });
    return go([update = update_](Index r, Scalar sum) __attribute__((always_inline)) { update(r, sum); });
  }

  /// Nodes first .. last - 1, but for long rows. The rows of a node are equally long, so that all of them are long or
  /// none.
  void nodes(Index first, Index last) const
  {
    for (Index k = first; k < last; ++k) {
      const Index row = a_.node_ptr[k];
      if (a_.row_ptr[row + 1] - a_.row_ptr[row] > a_.piece) continue;
      node_products<typename L::NodeLanes>(a_.row_ptr, row, a_.node_ptr[k + 1], a_.nonzeros, a_.col, a_.val, x_, update_);
    }
  }

  const Layout<Scalar, Index> &a_;
  const Scalar                *x_;
  const Update                 update_;
  Partial                     &partial_;
  TileBuffer<Scalar>           buffer_;
};

/// Bunches of entries.
template <class L, class Index> class BunchProduct : Product<L, Index> {
  using Base = Product<L, Index>;
  using Base::a_, Base::x_, Base::update_, Base::partial_, Base::buffer_;
  using typename Base::Access;
  using typename Base::Scalar;
  using Carry = kernels::Carry<Scalar, Index>;

public:
  using Base::Base;

  /// Bunches first .. last - 1. The row where the first begins is searched for; from then on each begins where the last
  /// ended.
  void run(Index first, Index last)
  {
    if (a_.order == Order::nodes) return this->nodes(first_node(first), first_node(last)); // no row is cut
    row_ = first == 0 ? 0 : kernels::row_of_entry(a_.row_ptr, a_.rows, a_.bunch_begin(first));
    for (Index b = first; b < last; ++b) bunch(b);
  }

private:
  /// The first node that begins with an entry of this bunch or of a later one.
  Index first_node(Index b) const
  {
    if (b == a_.bunches) return a_.nodes;
    const Index entry = a_.bunch_begin(b);
    return kernels::first_where(
      a_.nodes, [&](Index k) __attribute__((always_inline)) { return a_.row_ptr[a_.node_ptr[k]] >= entry; });
  }

  void bunch(Index b)
  {
    const Index begin = a_.bunch_begin(b), end = a_.bunch_end(b);
    auto       &carry = partial_.carry[b];
    open_             = 0;
    carry.continues   = row_ < a_.rows && a_.row_ptr[row_] < begin;
    carry.ends        = false;
    carry.row         = matrix_row(row_);
    skip_             = carry.continues;
    this->in_order(
      [&]<Access access>() __attribute__((always_inline)) { tiles<access>(begin, end, carry); },
      [&]<Access access>() __attribute__((always_inline)) { rows<access>(begin, end, carry); });
    if (carry.continues && !carry.ends) carry.head = open_;
    carry.opens = !skip_ && row_ < a_.rows && a_.row_ptr[row_] < end;
    carry.tail  = open_;
    if (a_.row && b + 1 == a_.bunches) update_.empty(a_.row[a_.rows - 1] + 1, a_.all_rows);
  }

  template <Access access> void tiles(Index begin, Index end, Carry &carry)
  {
    for (Index at = begin; at < end;) {
      const int n = end - at < a_.tile ? static_cast<int>(end - at) : a_.tile;
      tile<access>(at, n, carry);
      at += n;
    }
  }

  /// The bunch as one tile whose row pointer is its descriptor: where memory is what a product waits for, the
  /// descriptor's and the products' way through the caches costs more than it saves. An empty row is met where it is.
  template <Access access> void rows(Index begin, Index end, Carry &carry)
  {
    Index at = begin;
    if (skip_ && a_.row_ptr[row_ + 1] <= end) {
      at         = a_.row_ptr[row_ + 1];
      carry.head = this->template dot<access>(begin, at);
      carry.ends = true;
      skip_      = false;
      ++row_;
    }
    if (!skip_) row_ = this->template whole_rows<access>(row_, a_.rows, at, end);
    if (at < end) open_ = this->template dot<access>(at, end);
  }

  /// Speculation: segment k of the tile belongs to row row_ + k. It holds unless the tile has met an empty row.
  template <Access access> void tile(Index at, int n, Carry &carry)
  {
    Scalar *const sum      = buffer_.sum();
    const auto    segments = describe_segments<L>(a_.row_ptr, a_.rows, row_, at, n, buffer_.end());
    if (segments.complete == 0 && row_ == segments.next_row) { // all inside one row
      open_ += this->template dot<access>(at, at + n);
      return;
    }
    sum_tile<L, access>(a_.col + at, a_.val + at, x_, n, std::int64_t(a_.nonzeros - at), buffer_, segments.complete + 1);
    if (segments.complete > 0) {
      sum[0] += open_;
      open_ = 0;
    }
    open_ += sum[segments.complete];
    write(segments, carry);
    row_ = segments.next_row;
  }

  void write(const Segments<Index> &segments, Carry &carry)
  {
    const Scalar *sum = buffer_.sum();
    Index         row = row_;
    if (skip_ && segments.complete > 0) { // the row that began in an earlier bunch is left to join_cut_rows
      carry.head = *sum++;
      carry.ends = true;
      skip_      = false;
      if (a_.row) update_.empty(row ? a_.row[row - 1] + 1 : 0, a_.row[row]);
      ++row;
    }
    const Index rows = segments.next_row - row;
    if (a_.row) write_listed(row, sum, rows);
    else if (segments.complete == segments.next_row - row_) update_(row, sum, rows);
    else repair(row, segments.next_row, sum);
  }

  /// A dirty tile: the sums are right and in order, but not where they were predicted to be. Each goes to its row. On a
  /// core the sums are still in the nearest cache, so the paper's list of dirty tiles is worked off at once, one tile
  /// at a time.
  void repair(Index row, Index last, const Scalar *sum)
  {
    ++partial_.dirty_tiles;
    for (; row < last; ++row) {
      const bool empty = a_.row_ptr[row] == a_.row_ptr[row + 1];
      if (empty) update_.empty(row, row + 1);
      else update_(row, *sum++);
    }
  }

  /// Rows of the list of non-empty rows, and the empty ones before each.
  void write_listed(Index first, const Scalar *sum, Index n)
  {
    for (Index k = first; k < first + n; ++k) {
      if (!update_.keeps_empty_rows()) update_.empty(k ? a_.row[k - 1] + 1 : 0, a_.row[k]);
      update_(a_.row[k], *sum++);
    }
  }

  Index matrix_row(Index row) const { return a_.row && row < a_.rows ? a_.row[row] : row; }

  Index  row_  = 0;     // the first row that does not end before the tile
  Scalar open_ = 0;     // sum of that row so far, within the bunch
  bool   skip_ = false; // that row began before the bunch
};

/// Tickets of rows.
template <class L, class Index> class TicketProduct : Product<L, Index> {
  using Base = Product<L, Index>;
  using Base::a_, Base::x_, Base::update_, Base::partial_, Base::buffer_;
  using typename Base::Access;
  using typename Base::Scalar;

  static constexpr std::int64_t most_entries = std::int64_t(1) << 30;

public:
  using Base::Base;

  void run(std::int64_t ticket)
  {
    if (ticket < a_.pieces) return sum_piece(static_cast<Index>(ticket));
    const Index first = static_cast<Index>(ticket - a_.pieces) * a_.ticket, left = a_.rows - first;
    const Index last = left < a_.ticket ? a_.rows : first + a_.ticket;
    if (a_.order == Order::nodes) this->nodes(first_node(first), first_node(last));
    else rows_between_long_ones(first, last);
  }

private:
  void sum_piece(Index piece)
  {
    // The last long row whose first piece is not after this one.
    const Index k = kernels::first_where(
                      a_.long_rows, [&](Index i) __attribute__((always_inline)) { return a_.long_row[i].first_piece > piece; }) -
                    1;
    const auto &[row, first_piece] = a_.long_row[k];
    const Index begin = a_.row_ptr[row] + (piece - first_piece) * a_.piece, left = a_.row_ptr[row + 1] - begin;
    const Index end = left < a_.piece ? begin + left : begin + a_.piece;
    const auto  dot = [&]<Access access>() __attribute__((always_inline))
    {
      return this->template dot<access>(begin, end);
    };
    partial_.piece_sum[piece] = this->in_order(dot, dot);
  }

  void rows_between_long_ones(Index row, Index last)
  {
    if (a_.long_rows == 0) return rows(row, last);
    Index k = kernels::first_where(
      a_.long_rows, [&](Index i) __attribute__((always_inline)) { return a_.long_row[i].row >= row; });
    for (; k < a_.long_rows && a_.long_row[k].row < last; ++k) {
      rows(row, a_.long_row[k].row);
      row = a_.long_row[k].row + 1;
    }
    rows(row, last);
  }

  void rows(Index first, Index last)
  {
    Index begin = a_.row_ptr[first];
    this->in_order(
      [&]<Access access>() __attribute__((always_inline)) { tiles<access>(first, last); },
      [&]<Access access>() __attribute__((always_inline)) { this->template whole_rows<access>(first, last, begin, a_.nonzeros); });
  }

  template <Access access> void tiles(Index first, Index last)
  {
    while (first < last) {
      Index rows = last - first < tuning::tile_rows ? last - first : tuning::tile_rows;
      // Offsets in a tile are of type int; a row that is not long does fit.
      while (std::int64_t(a_.row_ptr[first + rows]) - a_.row_ptr[first] > most_entries) rows = (rows + 1) / 2;
      tile<access>(first, static_cast<int>(rows));
      first += rows;
    }
  }

  /// Whole rows, so that the row pointer describes the segments: one for each row, with or without entries.
  template <Access access> void tile(Index first, int rows)
  {
    const Index begin = a_.row_ptr[first];
    int *const  end   = buffer_.end();
    for (int k = 0; k < rows; ++k) end[k] = static_cast<int>(a_.row_ptr[first + k + 1] - begin);
    const int n = end[rows - 1];
    for (int k = 0; k < L::width; ++k) end[rows + k] = n;
    sum_tile<L, access>(a_.col + begin, a_.val + begin, x_, n, a_.nonzeros - begin, buffer_, rows);
    update_(first, buffer_.sum(), static_cast<Index>(rows));
  }

  /// The first node that begins with this row or a later one.
  Index first_node(Index row) const
  {
    return kernels::first_where(
      a_.nodes, [&](Index k) __attribute__((always_inline)) { return a_.node_ptr[k] >= row; });
  }
};

template <class L, class Index>
void multiply(const Layout<typename L::Scalar, Index> &a, std::int64_t first, std::int64_t last, const typename L::Scalar *x,
              const kernels::RowUpdate<typename L::Scalar> &update, PartialSums<typename L::Scalar, Index> &partial)
{
  if (a.schedule == Schedule::parts) {
    BunchProduct<L, Index>(a, x, update, partial).run(static_cast<Index>(first), static_cast<Index>(last));
  } else
    for (std::int64_t ticket = first; ticket < last; ++ticket) TicketProduct<L, Index>(a, x, update, partial).run(ticket);
}

} // namespace petscspmv::csr
