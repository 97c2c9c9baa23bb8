#pragma once

/// \file gather_columns.hpp
/// Products of gather tiles with several vectors.
///
/// Lane = vector. The entries are met in the order in which they are kept, so that neighbouring ones belong to different rows and no chain of
/// additions is waited for; the sums of a group of nodes stay in the nearest cache.

#include <cstddef>

#include "impls/ccoo/ccoo_columns_kernels.hpp"
#include "impls/ccoo/tiles/gather.hpp"

namespace petscspmv::ccoo {

template <class L, class Column> class GatherColumns {
  using Scalar = typename L::Scalar;
  using Vec    = typename L::Vec;

public:
  GatherColumns(const Layout<Scalar> &m, const Tile &t, const ColumnsTask<Scalar> &task)
    : t_(t), view_(t, m.structure, m.column), x_(task.packed + std::int64_t(t.least) * pass_columns), update_(task.update)
  {
  }

  template <class Values> void run(const Values &values) const
  {
    if (t_.node == 1) groups<1>(values);
    else groups<node_limit>(values);
    for (int i = t_.filled; i < t_.nodes; ++i) {
      const Local row = t_.row + view_.row(t_, i);
      update_.empty(row, row + t_.node);
    }
  }

private:
  /// `most` is 1 where nodes are rows: then there is no loop over the rows of a node. More kernels, for two rows and for three, gain a third
  /// where nodes have so many, and take minutes to compile.
  template <int most, class Values> void groups(const Values values) const
  {
    const int     rows   = most == 1 ? 1 : t_.node;
    const Column *column = reinterpret_cast<const Column *>(view_.columns);
    std::int64_t  q      = 0;
    for (int i = 0; i < t_.filled; i += group_rows) {
      Vec        sum[group_rows * most];
      const auto slot = [&](int live) __attribute__((always_inline))
      {
        values.prefetch(q);
        for (int l = 0; l < live; ++l) {
          const Vec x = L::load(x_ + std::int64_t(column[l]) * pass_columns);
          for (int e = 0; e < rows; ++e) sum[l * rows + e] = L::mul_add(L::set(values[q + e * live + l]), x, sum[l * rows + e]);
        }
        column += live;
        q += live * rows;
      };
      for (int l = 0; l < group_rows * rows; ++l) sum[l] = L::zero();
      const std::uint16_t *length = view_.length + i;
      for (int k = 0; k < length[group_rows - 1]; ++k) slot(group_rows);
      int live = group_rows;
      for (int k = length[group_rows - 1]; k < length[0]; ++k) {
        while (length[live - 1] <= k) --live;
        slot(live);
      }
      write(i, rows, sum);
    }
  }

  void write(int i, int rows, const Vec *sum) const
  {
    const int             n = t_.filled - i < group_rows ? t_.filled - i : group_rows;
    alignas(64) std::byte bytes[group_rows * pass_columns * sizeof(Scalar)];
    Scalar *const         scalars = reinterpret_cast<Scalar *>(bytes);
    for (int e = 0; e < rows; ++e) {
      for (int l = 0; l < n; ++l) L::store(scalars + l * pass_columns, sum[l * rows + e]);
      update_.scatter(scalars, n, [&](int l) { return std::int64_t(t_.row + view_.row(t_, i + l) + e); });
    }
  }

  const Tile                          &t_;
  const GatherView                     view_;
  const Scalar                        *x_;
  const kernels::ColumnsUpdate<Scalar> update_;
};

} // namespace petscspmv::ccoo
