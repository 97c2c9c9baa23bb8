#pragma once

/// \file gather_host.hpp
/// Products of gather tiles on a processor core.
///
/// Lane = node. A slot costs one load of eight columns, eight entries of x, and eight values for each row of the nodes;
/// where nodes have ended, their lanes are left out. Nothing is read twice but x.

#include "impls/ccoo/ccoo_kernels.hpp"
#include "impls/ccoo/ccoo_tuning.hpp"
#include "impls/ccoo/tiles/gather.hpp"
#include "impls/ccoo/tiles/group_writer.hpp"
#include "impls/ccoo/tiles/next_tile.hpp"
#include "kernels/lanes/unrolled.hpp"

namespace petscspmv::ccoo {

template <class L, class Values, class Column> class GatherProduct {
  using Scalar = typename L::Scalar;
  using Vec    = typename L::Vec;

public:
  GatherProduct(const Layout<Scalar> &m, const Tile &t, const Values &values, const Task<Scalar> &task)
    : t_(t), view_(t, m.structure, m.column), values_(values), x_(task.x + t.gather.least), write_(task.update, task.streams, t.row),
      next_(m, t, task, view_.parts.groups), ahead_(task.ahead)
  {
  }

  void run()
  {
    if (t_.gather.node == 1 && !ahead_) nodes<1, true>(); // where single rows are in a cache, the question costs 6 % of a step
    else
      kernels::with_number<node_limit>(
        t_.gather.node, [this](auto n) __attribute__((always_inline)) { nodes<n>(); });
  }

private:
  template <int rows, bool cached = false> void nodes()
  {
    const auto  *column = reinterpret_cast<const Column *>(view_.columns);
    std::int64_t q      = 0;
    for (int i = 0; i < t_.gather.filled; i += group_rows) {
      if constexpr (!cached) next_.ask(i * rows, group_rows * rows);
      const std::uint16_t *length  = view_.length + i;
      const auto           lengths = L::lengths(length);
      Vec                  sum[rows];
#pragma GCC unroll 6
      for (int e = 0; e < rows; ++e) sum[e] = L::zero();
      int k = 0;
      for (const int all = length[group_rows - 1]; k < all; ++k, column += group_rows) {
        const Vec x = L::gather(x_, column);
        if constexpr (!cached) prefetch(column), prefetch_x(column);
#pragma GCC unroll 6
        for (int e = 0; e < rows; ++e, q += group_rows) {
          if constexpr (!cached) values_.prefetch(q);
          sum[e] = L::mul_add(L::values(values_, q), x, sum[e]);
        }
      }
      for (const int some = length[0]; k < some; ++k) {
        const LaneMask lanes = L::longer(lengths, k);
        const int      live  = __builtin_popcount(lanes);
        const Vec      x     = L::gather(x_, column);
        if constexpr (!cached) prefetch(column), prefetch_x(column, live);
#pragma GCC unroll 6
        for (int e = 0; e < rows; ++e, q += live) {
          if constexpr (!cached) values_.prefetch(q);
          sum[e] = L::mul_add(L::values(values_, q), x, sum[e], lanes);
        }
        column += live;
      }
      write<rows>(i, sum);
    }
    if (const int empty = t_.gather.nodes - t_.gather.filled; empty > 0) {
      if (view_.order) write_.empty(t_.row, empty, view_.order + t_.gather.filled, rows);
      else write_.empty(t_.row + t_.gather.filled * rows, empty, nullptr, rows);
    }
  }

  template <int rows> [[gnu::always_inline]] void write(int i, const Vec (&sum)[rows]) const
  {
    const int n = t_.gather.filled - i < group_rows ? t_.gather.filled - i : group_rows;
    if (rows == 1 && !view_.order) return write_(t_.row + i, sum[0], n);
#pragma GCC unroll 6
    for (int e = 0; e < rows; ++e)
      if (view_.order) write_.scatter(t_.row + e, sum[e], n, view_.order + i, rows);
      else write_.scatter(t_.row + i * rows + e, sum[e], n, nullptr, rows);
  }

  /// The processor asks for columns itself, but stops at the end of a page.
  [[gnu::always_inline]] void prefetch(const Column *column) const
  {
    if (ahead_) __builtin_prefetch(reinterpret_cast<const char *>(column) + tuning::column_ahead_bytes);
  }

  /// Wide columns: x of n lanes is somewhere, and the processor does not guess where.
  [[gnu::always_inline]] void prefetch_x(const Column *column, int n = group_rows) const
  {
    if (sizeof(Column) < 4 || !ahead_ || t_.gather.lines > 0) return; // lines have been asked for
#pragma GCC unroll 8
    for (int l = 0; l < n; ++l) __builtin_prefetch(x_ + column[tuning::x_ahead_entries + l], 0, 2); // to the second cache
  }

  const Tile          &t_;
  const GatherView     view_;
  const Values         values_;
  const Scalar        *x_;
  const GroupWriter<L> write_;
  NextTile<Scalar>     next_;
  const bool           ahead_;
};

} // namespace petscspmv::ccoo
