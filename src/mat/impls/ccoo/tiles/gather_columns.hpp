#pragma once

/// \file gather_columns.hpp
/// Products of gather tiles with several vectors.
///
/// Lane = vector. The entries are met in the order in which they are kept, so that neighbouring ones belong to
/// different rows and no chain of additions is waited for; the sums of a group of nodes stay in the nearest cache.

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
    constexpr bool raw = Values::coding == Coding::raw; // what nodes of several unknowns mostly have; other kernels are left out
    if (t_.node == 1) groups<1>(values);
    else if (raw && t_.node == 2) groups<raw ? 2 : 0>(values);
    else if (raw && t_.node == 3) groups<raw ? 3 : 0>(values);
    else groups<0>(values);
    for (int i = t_.filled; i < t_.nodes; ++i) {
      const Local row = t_.row + view_.row(t_, i);
      update_.empty(row, row + t_.node);
    }
  }

private:
  /// Nodes of `exact` rows, or of any number if that is 0. Slots that all nodes of a group have are summed in registers
  /// if it is known.
  template <int exact, class Values> void groups(const Values values) const
  {
    const int     rows   = exact > 0 ? exact : t_.node;
    const Column *column = reinterpret_cast<const Column *>(view_.columns);
    std::int64_t  q      = 0;
    const auto    x      = [&](int l) __attribute__((always_inline))
    {
      return L::load(x_ + std::int64_t(column[l]) * pass_columns);
    };
    const auto next = [&](int live) __attribute__((always_inline))
    {
      column += live;
      q += live * rows;
    };
    for (int i = 0; i < t_.filled; i += group_rows) {
      const std::uint16_t *length = view_.length + i;
      Vec                  sum[group_rows * (exact > 0 ? exact : node_limit)];
      int                  k = 0, live = group_rows;
      if constexpr (exact > 0) {
        Vec in_register[group_rows * exact];
        for (Vec &s : in_register) s = L::zero();
        for (; k < length[group_rows - 1]; ++k, next(group_rows)) {
          values.prefetch(q);
#pragma GCC unroll 8
          for (int l = 0; l < group_rows; ++l) {
            const Vec xl = x(l);
#pragma GCC unroll 3
            for (int e = 0; e < exact; ++e)
              in_register[l * exact + e] = L::mul_add(L::set(values[q + e * group_rows + l]), xl, in_register[l * exact + e]);
          }
        }
        for (int s = 0; s < group_rows * exact; ++s) sum[s] = in_register[s];
      } else
        for (int s = 0; s < group_rows * rows; ++s) sum[s] = L::zero();
      for (; k < length[0]; ++k, next(live)) {
        while (length[live - 1] <= k) --live;
        values.prefetch(q);
        for (int l = 0; l < live; ++l) {
          const Vec xl = x(l);
          for (int e = 0; e < rows; ++e) sum[l * rows + e] = L::mul_add(L::set(values[q + e * live + l]), xl, sum[l * rows + e]);
        }
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
