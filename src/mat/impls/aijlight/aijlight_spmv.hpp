#pragma once

/// \file aijlight_spmv.hpp
/// One ticket of y = alpha A x + beta y on a processor core.
///
/// Included by one source file for each instruction set; see kernels/lanes/isa.hpp for what that asks of this code.

#include "impls/aijlight/aijlight_kernels.hpp"
#include "impls/aijlight/aijlight_tuning.hpp"
#include "kernels/lanes/scalar.hpp"
#include "kernels/rows/node_sum.hpp"
#include "kernels/rows/search.hpp"
#include "kernels/rows/segments.hpp"
#include "kernels/rows/sums.hpp"

namespace petscspmv::aijlight {

/// State of one ticket while it is processed.
template <class L, class Index> class Ticket {
  using Scalar = typename L::Scalar;
  using Access = kernels::Access;
  using Real   = double; ///< what scalars are made of; arrays of complex numbers would be set to zero

  static constexpr int          reals        = kernels::is_complex<Scalar> ? 2 : 1;
  static constexpr std::int64_t most_entries = std::int64_t(1) << 30;

public:
  Ticket(const Layout<Scalar, Index> &a, const Scalar *x, const kernels::RowUpdate<Scalar> &update, Scalar *part)
    : a_(a), x_(x), update_(update), part_(part)
  {
  }

  void run(std::int64_t ticket)
  {
    if (ticket < a_.pieces) return sum_piece(static_cast<Index>(ticket));
    const Index first = static_cast<Index>(ticket - a_.pieces) * a_.ticket, left = a_.rows - first;
    const Index last = left < a_.ticket ? a_.rows : first + a_.ticket;
    if (a_.order == Order::nodes) nodes_of(first, last);
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
    part_[piece] = dot(begin, left < a_.piece ? left : a_.piece);
  }

  Scalar dot(Index begin, Index n)
  {
    const auto go = [&]<Access access>() __attribute__((always_inline))
    {
      return kernels::dot<L, access>(a_.col + begin, a_.val + begin, x_, n, a_.nonzeros - begin);
    };
    switch (kernels::access_of(a_.order)) {
    case Access::cached:
      return go.template operator()<Access::cached>();
    case Access::streams:
      return go.template operator()<Access::streams>();
    case Access::scattered:
      return go.template operator()<Access::scattered>();
    case Access::far:
      return go.template operator()<Access::far>();
    }
    __builtin_unreachable();
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
    switch (a_.order) {
    case Order::tiles:
      return tiles<Access::cached>(first, last);
    case Order::tiles_ahead:
      return tiles<Access::streams>(first, last);
    case Order::tiles_x:
      return tiles<Access::far>(first, last);
    case Order::rows_cached:
      return one_by_one<Access::cached>(first, last);
    case Order::rows:
      return one_by_one<Access::streams>(first, last);
    case Order::rows_gather:
      return one_by_one<Access::scattered>(first, last);
    case Order::rows_x:
      return one_by_one<Access::far>(first, last);
    case Order::nodes: // not here: nodes_of
      return;
    }
  }

  template <Access access> void one_by_one(Index first, Index last)
  {
    Index begin = a_.row_ptr[first];
    kernels::row_products<L, access>(a_.row_ptr, first, last, begin, a_.nonzeros, a_.nonzeros, a_.col, a_.val, x_, update_);
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
    using Buffer = kernels::TileBuffer<Scalar>;
    alignas(64) Real product[(Buffer::ring + Buffer::mirror) * reals];
    alignas(64) Real sum[(tuning::tile_rows + Buffer::pad) * reals];
    alignas(64) int  end[Buffer::pad + tuning::tile_rows + Buffer::pad];
    const Buffer     buffer{reinterpret_cast<Scalar *>(product), reinterpret_cast<Scalar *>(sum), end + Buffer::pad};
    const Index      begin = a_.row_ptr[first];
    for (int k = -1; k < rows; ++k) buffer.end[k] = static_cast<int>(a_.row_ptr[first + k + 1] - begin);
    const int n = buffer.end[rows - 1];
    for (int k = 0; k < L::width; ++k) buffer.end[rows + k] = n;
    kernels::sum_tile<L, access>(a_.col + begin, a_.val + begin, x_, n, a_.nonzeros - begin, buffer, rows);
    update_(first, buffer.sum, static_cast<Index>(rows));
  }

  /// The nodes that begin in rows first .. last - 1. The rows of a node are equally long, so that all of them are long
  /// or none.
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
  Scalar *const                    part_;
};

template <class L, class Index>
void multiply_ticket(const Layout<typename L::Scalar, Index> &a, std::int64_t ticket, const typename L::Scalar *x,
                     const kernels::RowUpdate<typename L::Scalar> &update, typename L::Scalar *part)
{
  Ticket<L, Index>(a, x, update, part).run(ticket);
}

} // namespace petscspmv::aijlight
