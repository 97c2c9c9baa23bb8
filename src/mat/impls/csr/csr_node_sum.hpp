#pragma once

/// \file csr_node_sum.hpp
/// Sums of neighbouring rows that have the same columns: columns and x are read once for all of them.

#include <cstdint>

#include "kernels/lanes/unrolled.hpp"
#include "kernels/rows/update.hpp"

namespace petscspmv::csr {

/// Rows that are summed together at most; larger nodes are done in pieces.
inline constexpr int max_node_rows = 8;

/// sum[i] = sum over j < n of val[i n + j] x[col[j]], for i < rows. sum has room for max_node_rows.
///
/// Up to `slack` >= n columns may be looked at. For matrices that the caches hold: from memory, as many streams of
/// values as a node has rows, each of them short, are slower than rows one after the other, although these read the
/// columns more often. 27-point with three unknowns a node, AMD Zen 4: nodes 0.9 ns an entry whatever is asked for
/// early, rows 0.55.
template <class L, int rows, class Index>
void node_sums(const Index *col, const typename L::Scalar *val, const typename L::Scalar *x, std::int64_t n, std::int64_t slack,
               typename L::Scalar *sum)
{
  constexpr int   w = L::width;
  typename L::Vec acc[rows];
  for (int i = 0; i < rows; ++i) acc[i] = L::zero();
  std::int64_t j = 0;
  for (; j + w <= n; j += w) {
    const typename L::Vec xs = L::gather(x, col + j);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) acc[i] = L::mul_add(L::load(val + i * n + j), xs, acc[i]);
  }
  if (j < n) {
    const typename L::Vec xs = L::gather_first(x, col + j, n - j, slack - j);
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) acc[i] = L::mul_add(L::load_first(val + i * n + j, n - j), xs, acc[i]);
  }
  L::template store_sums<rows>(sum, acc);
}

/// Rows first .. last - 1, which have the same columns, of y = alpha A x + beta y. `entries` is the number of entries
/// of the matrix.
template <class L, class Index>
void node_products(const Index *row_ptr, Index first, Index last, Index entries, const Index *col, const typename L::Scalar *val,
                   const typename L::Scalar *x, const kernels::RowUpdate<typename L::Scalar> &update)
{
  for (Index row = first; row < last;) {
    const Index        left = last - row, begin = row_ptr[row], n = row_ptr[row + 1] - begin;
    const int          rows = left < max_node_rows ? static_cast<int>(left) : max_node_rows;
    typename L::Scalar sum[max_node_rows];
    kernels::with_number<max_node_rows>(
      rows, [&](auto k) __attribute__((always_inline)) { node_sums<L, k>(col + begin, val + begin, x, n, entries - begin, sum); });
    update(row, sum, static_cast<Index>(rows));
    row += rows;
  }
}

} // namespace petscspmv::csr
