#pragma once

/// \file sums.hpp
/// Row sums straight from the matrix. Where no cache holds it, what counts is to prefetch entries and x early enough.

#include "kernels/lanes/prefetch.hpp"
#include "kernels/rows/update.hpp"

namespace petscspmv::kernels {

/// write(r, sum of row r) for rows from `row` on that end at or before entry `end`; returns the first row that does
/// not.
///
/// `begin` is where the entries of `row` are taken up, and becomes where those of the returned row begin. `entries` is
/// their number in all.
template <class L, Access access, class Index, class Write>
[[gnu::always_inline]] inline Index row_sums(const Index *row_ptr, Index row, Index rows, Index &begin, Index end, Index entries,
                                             const Index *col, const typename L::Scalar *val, const typename L::Scalar *x, Write &&write)
{
  Index k = begin;
  for (; row < rows; ++row) {
    const Index stop = row_ptr[row + 1];
    if (stop > end) break;
    if constexpr (is_scattered(access))
      write(row, L::template gather_dot<access == Access::far>(col + k, val + k, x, stop - k, entries - k));
    else write(row, L::template row_dot<access != Access::cached>(col + k, val + k, x, stop - k, entries - k));
    k = stop;
  }
  begin = k;
  return row;
}

/// The same, with the sums entering y.
template <class L, Access access, class Index>
[[gnu::always_inline]] inline Index row_products(const Index *row_ptr, Index row, Index rows, Index &begin, Index end, Index entries,
                                                 const Index *col, const typename L::Scalar *val, const typename L::Scalar *x,
                                                 const RowUpdate<typename L::Scalar> &update)
{
  using Scalar  = typename L::Scalar;
  const auto go = [&](auto write) __attribute__((always_inline))
  {
    return row_sums<L, access>(row_ptr, row, rows, begin, end, entries, col, val, x, write);
  };
  if (update.only_stores()) return go([y = update.y()](Index r, Scalar sum) __attribute__((always_inline)) { y[r] = sum; });
  return go([update](Index r, Scalar sum) __attribute__((always_inline)) { update(r, sum); });
}

} // namespace petscspmv::kernels
