#pragma once

/// \file aijlight_spmv.hpp
/// One ticket of y = alpha A x + beta y on a processor core.
///
/// Included by one source file for each instruction set; see kernels/isa.hpp for what that asks of this code.

#include "impls/aijlight/aijlight_kernels.hpp"
#include "kernels/node_sum.hpp"
#include "kernels/row_search.hpp"
#include "kernels/row_sums.hpp"
#include "kernels/segmented_sum.hpp"

namespace petscspmv::aijlight {

/// A ticket is this for as long as it is worked off.
template <class L, class Index> class Ticket {
  using Scalar = typename L::Scalar;
  using Access = kernels::Access;

public:
  Ticket(const Layout<Scalar, Index> &a, const Scalar *x, const kernels::RowUpdate<Scalar> &update) : a_(a), x_(x), update_(update) { }

  void run(std::int64_t ticket)
  {
    if (ticket < a_.pieces) return sum_piece(static_cast<Index>(ticket));
    const Index first = static_cast<Index>(ticket - a_.pieces) * a_.ticket, left = a_.rows - first;
    const Index last = left < a_.ticket ? a_.rows : first + a_.ticket;
    if (a_.way == Way::nodes) nodes_of(first, last);
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
    a_.part[piece] = dot(begin, left < a_.piece ? left : a_.piece);
  }

  Scalar dot(Index begin, Index n)
  {
    const auto go = [&]<Access access>() __attribute__((always_inline))
    {
      return kernels::dot<L, access>(a_.col + begin, a_.val + begin, x_, n, a_.nonzeros - begin);
    };
    if (a_.way == Way::scattered) return go.template operator()<Access::scattered>();
    return a_.way == Way::streams ? go.template operator()<Access::streams>() : go.template operator()<Access::cached>();
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
    switch (a_.way) {
    case Way::cached:
      return rows<Access::cached>(first, last);
    case Way::streams:
      return rows<Access::streams>(first, last);
    case Way::scattered:
      return rows<Access::scattered>(first, last);
    case Way::nodes: // not here: nodes_of
      return;
    }
  }

  template <Access access> void rows(Index first, Index last)
  {
    Index begin = a_.row_ptr[first];
    kernels::row_products<L, access>(a_.row_ptr, first, last, begin, a_.nonzeros, a_.nonzeros, a_.col, a_.val, x_, update_);
  }

  /// The nodes that begin in rows first .. last - 1. The rows of a node are equally long, so that all of them are long or none.
  void nodes_of(Index first, Index last)
  {
    const auto from = [&](Index row) {
      return kernels::first_where(
        a_.nodes, [&](Index k) __attribute__((always_inline)) { return a_.node_ptr[k] >= row; });
    };
    for (Index k = from(first), stop = from(last); k < stop; ++k) {
      const Index row = a_.node_ptr[k];
      if (a_.row_ptr[row + 1] - a_.row_ptr[row] > a_.piece) continue;
      kernels::node_products<typename L::NodeLanes>(a_.row_ptr, row, a_.node_ptr[k + 1], a_.nonzeros, a_.col, a_.val, x_, update_);
    }
  }

  const Layout<Scalar, Index>     &a_;
  const Scalar                    *x_;
  const kernels::RowUpdate<Scalar> update_;
};

template <class L, class Index>
void multiply_ticket(const Layout<typename L::Scalar, Index> &a, std::int64_t ticket, const typename L::Scalar *x,
                     const kernels::RowUpdate<typename L::Scalar> &update)
{
  Ticket<L, Index>(a, x, update).run(ticket);
}

} // namespace petscspmv::aijlight
