#pragma once

/// \file node_sum.hpp
/// Sums of neighbouring rows that have the same columns: columns and x are read once for all of them.

namespace petscspmv::kernels {

/// Rows that are summed together at most; larger nodes are done in pieces.
inline constexpr int max_node_rows = 8;

/// sum[i] = sum over j < n of val[i * stride + j] x[col[j]], for i < B.
///
/// `slack` is how many columns may be read from col: n, or more where the array goes on. What lies there is not used.
template <class L, int B, class Index>
void node_sums(const Index *col, const typename L::Scalar *val, const typename L::Scalar *x, Index n, Index stride, typename L::Scalar *sum)
{
  constexpr int   w = L::width;
  typename L::Vec acc[B];
  for (int b = 0; b < B; ++b) acc[b] = L::zero();
  Index j = 0;
  for (; j + w <= n; j += w) {
    const typename L::Vec xs = L::gather(x, col + j);
    for (int b = 0; b < B; ++b) acc[b] = L::mul_add(L::load(val + b * stride + j), xs, acc[b]);
  }
  for (int b = 0; b < B; ++b) sum[b] = L::sum(acc[b]);
  for (; j < n; ++j)
    for (int b = 0; b < B; ++b) sum[b] += multiply(val[b * stride + j], x[col[j]]);
}

/// The same for a number of rows known at run time, 1 <= rows <= max_node_rows.
template <class L, class Index>
[[gnu::always_inline]] inline void node_sums(int rows, const Index *col, const typename L::Scalar *val, const typename L::Scalar *x,
                                             Index n, Index stride, typename L::Scalar *sum)
{
  switch (rows) {
  case 1:
    return node_sums<L, 1>(col, val, x, n, stride, sum);
  case 2:
    return node_sums<L, 2>(col, val, x, n, stride, sum);
  case 3:
    return node_sums<L, 3>(col, val, x, n, stride, sum);
  case 4:
    return node_sums<L, 4>(col, val, x, n, stride, sum);
  case 5:
    return node_sums<L, 5>(col, val, x, n, stride, sum);
  case 6:
    return node_sums<L, 6>(col, val, x, n, stride, sum);
  case 7:
    return node_sums<L, 7>(col, val, x, n, stride, sum);
  default:
    return node_sums<L, 8>(col, val, x, n, stride, sum);
  }
}

} // namespace petscspmv::kernels
