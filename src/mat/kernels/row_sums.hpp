#pragma once

/// \file row_sums.hpp
/// Row sums straight from the matrix. Where no cache holds it, what counts is to ask for entries and x early enough.

#include <cstdint>

#include "kernels/prefetch.hpp"

namespace petscspmv::kernels {

/// write(r, sum of row r) for rows from `row` on that end at or before entry `end`; returns the first row that does not.
///
/// `begin` is where the entries of `row` are taken up, and becomes where those of the returned row begin. `entries` is their number in
/// all.
template <class L, Access access, class Index, class Write>
[[gnu::always_inline]] inline Index row_sums(const Index *row_ptr, Index row, Index rows, Index &begin, Index end, Index entries,
                                             const Index *col, const typename L::Scalar *val, const typename L::Scalar *x, Write &&write)
{
  Index k = begin;
  for (; row < rows; ++row) {
    const Index stop = row_ptr[row + 1];
    if (stop > end) break;
    if constexpr (access == Access::scattered) write(row, L::gather_dot(col + k, val + k, x, stop - k, entries - k));
    else write(row, L::template row_dot<access != Access::cached>(col + k, val + k, x, stop - k, entries - k));
    k = stop;
  }
  begin = k;
  return row;
}

} // namespace petscspmv::kernels
