#pragma once

/// \file aijspec_spmv.hpp
/// y = alpha A x + beta y by speculative segmented sums: algorithm 1 of the paper on the lanes of a processor core.
///
/// Included by one source file for each instruction set; see kernels/lanes/isa.hpp for what that asks of this code.

#include "impls/aijspec/aijspec_kernels.hpp"
#include "kernels/lanes/scalar.hpp"
#include "kernels/rows/node_sum.hpp"
#include "kernels/rows/search.hpp"
#include "kernels/rows/segments.hpp"
#include "kernels/rows/sums.hpp"

namespace petscspmv::aijspec {

/// The product of bunches of plain rows.
template <class L, class Index> class BunchProduct {
  using Scalar = typename L::Scalar;
  using Update = kernels::RowUpdate<Scalar>;

public:
  BunchProduct(const Layout<Scalar, Index> &a, const Scalar *x, const Update &update, Workspace<Scalar, Index> &work)
    : a_(a), x_(x), update_(update), work_(work)
  {
  }

  /// Bunches first .. last - 1. The row where the first begins is searched for; from then on each begins where the last
  /// ended.
  void run(Index first, Index last)
  {
    row_ = first == 0 ? 0 : kernels::row_of_entry(a_.row_ptr, a_.rows, a_.bunch_begin(first));
    for (Index b = first; b < last; ++b) bunch(b);
  }

private:
  void bunch(Index b)
  {
    const Index begin = a_.bunch_begin(b), end = a_.bunch_end(b);
    auto       &carry = work_.carry[b];
    open_             = 0;
    carry.continues   = row_ < a_.rows && a_.row_ptr[row_] < begin;
    carry.ends        = false;
    carry.row         = matrix_row(row_);
    skip_             = carry.continues;
    pass(begin, end, carry);
    if (carry.continues && !carry.ends) carry.head = open_;
    carry.opens = !skip_ && row_ < a_.rows && a_.row_ptr[row_] < end;
    carry.tail  = open_;
    if (a_.row && b + 1 == a_.bunches) update_.empty(a_.row[a_.rows - 1] + 1, a_.all_rows);
  }

  void pass(Index begin, Index end, kernels::Carry<Scalar, Index> &carry)
  {
    using kernels::Access;
    switch (a_.order) {
    case Order::tiles:
      return tiles<Access::cached>(begin, end, carry);
    case Order::tiles_ahead:
      return tiles<Access::streams>(begin, end, carry);
    case Order::tiles_x:
      return tiles<Access::far>(begin, end, carry);
    case Order::rows_cached:
      return rows<Access::cached>(begin, end, carry);
    case Order::rows:
      return rows<Access::streams>(begin, end, carry);
    case Order::rows_gather:
      return rows<Access::scattered>(begin, end, carry);
    case Order::rows_x:
      return rows<Access::far>(begin, end, carry);
    case Order::nodes: // not here: multiply_nodes
      return;
    }
  }

  template <kernels::Access access> void tiles(Index begin, Index end, kernels::Carry<Scalar, Index> &carry)
  {
    for (Index at = begin; at < end;) {
      const int n = end - at < a_.tile ? static_cast<int>(end - at) : a_.tile;
      tile<access>(at, n, carry);
      at += n;
    }
  }

  /// The bunch as one tile whose row pointer is its descriptor: where memory is what a product waits for, the
  /// descriptor's and the products' way through the caches costs more than it saves. An empty row is met where it is.
  template <kernels::Access access> void rows(Index begin, Index end, kernels::Carry<Scalar, Index> &carry)
  {
    Index at = begin;
    if (skip_ && a_.row_ptr[row_ + 1] <= end) {
      at         = a_.row_ptr[row_ + 1];
      carry.head = kernels::dot<L, access>(a_.col + begin, a_.val + begin, x_, at - begin, a_.nonzeros - begin);
      carry.ends = true;
      skip_      = false;
      ++row_;
    }
    if (!skip_) row_ = kernels::row_products<L, access>(a_.row_ptr, row_, a_.rows, at, end, a_.nonzeros, a_.col, a_.val, x_, update_);
    if (at < end) open_ = kernels::dot<L, access>(a_.col + at, a_.val + at, x_, end - at, a_.nonzeros - at);
  }

  /// Speculation: segment k of the tile belongs to row row_ + k. It holds unless the tile has met an empty row.
  template <kernels::Access access> void tile(Index at, int n, kernels::Carry<Scalar, Index> &carry)
  {
    const auto &buffer   = work_.buffer;
    const auto  slack    = std::int64_t(a_.nonzeros - at);
    const auto  segments = kernels::describe_segments<L>(a_.row_ptr, a_.rows, row_, at, n, buffer.end);
    if (segments.complete == 0 && row_ == segments.next_row) { // all inside one row
      open_ += kernels::dot<L, access>(a_.col + at, a_.val + at, x_, n, slack);
      return;
    }
    kernels::sum_tile<L, access>(a_.col + at, a_.val + at, x_, n, slack, buffer, segments.complete + 1);
    if (segments.complete > 0) {
      buffer.sum[0] += open_;
      open_ = 0;
    }
    open_ += buffer.sum[segments.complete];
    write(segments, carry);
    row_ = segments.next_row;
  }

  void write(const kernels::Segments<Index> &segments, kernels::Carry<Scalar, Index> &carry)
  {
    const Scalar *sum = work_.buffer.sum;
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
    ++work_.dirty_tiles;
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

  const Layout<Scalar, Index> &a_;
  const Scalar                *x_;
  const Update                 update_;
  Workspace<Scalar, Index>    &work_;
  Index                        row_  = 0;     // the first row that does not end before the tile
  Scalar                       open_ = 0;     // sum of that row so far, within the bunch
  bool                         skip_ = false; // that row began before the bunch
};

/// Bunches of whole nodes: those that begin with an entry of the bunch. No row is cut.
template <class L, class Index>
void multiply_nodes(const Layout<typename L::Scalar, Index> &a, Index first, Index last, const typename L::Scalar *x,
                    const kernels::RowUpdate<typename L::Scalar> &update)
{
  const auto start = [&](Index b) {
    const Index entry = b == a.bunches ? a.nonzeros : a.bunch_begin(b);
    return b == a.bunches ? a.nodes
                          : kernels::first_where(
                              a.nodes, [&](Index k) __attribute__((always_inline)) { return a.row_ptr[a.node_ptr[k]] >= entry; });
  };
  const Index stop = start(last);
  for (Index k = start(first); k < stop; ++k)
    kernels::node_products<typename L::NodeLanes>(a.row_ptr, a.node_ptr[k], a.node_ptr[k + 1], a.nonzeros, a.col, a.val, x, update);
}

template <class L, class Index>
void multiply_bunches(const Layout<typename L::Scalar, Index> &a, Index first, Index last, const typename L::Scalar *x,
                      const kernels::RowUpdate<typename L::Scalar> &update, Workspace<typename L::Scalar, Index> &work)
{
  work.dirty_tiles = 0;
  if (a.order == Order::nodes) multiply_nodes<L>(a, first, last, x, update);
  else BunchProduct<L, Index>(a, x, update, work).run(first, last);
}

} // namespace petscspmv::aijspec
