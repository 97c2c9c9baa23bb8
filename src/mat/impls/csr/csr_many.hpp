#pragma once

/// \file csr_many.hpp
/// What one thread does in a product with several vectors (csr_many.cpp).
///
/// Included by one source file for each instruction set; see kernels/lanes/isa.hpp for what that asks of this code.

#include "core/csr_view.hpp"
#include "kernels/lanes/prefetch.hpp"
#include "kernels/rows/columns.hpp"

namespace petscspmv::csr {

using kernels::pass_columns;

/// The sums of one row. Even and odd entries have sums of their own, so that two chains of additions are under way.
template <class L, class Index>
[[gnu::always_inline]] inline typename L::Vec row_of_columns(const Index *col, const typename L::Scalar *val, Index n,
                                                             const typename L::Scalar *packed)
{
  const auto add = [&](Index k, typename L::Vec sum) __attribute__((always_inline))
  {
    return L::mul_add(L::set(val[k]), L::load(packed + std::int64_t(col[k]) * pass_columns), sum);
  };
  typename L::Vec even = L::zero(), odd = L::zero();
  Index           k = 0;
  for (; k + 2 <= n; k += 2) {
    even = add(k, even);
    odd  = add(k + 1, odd);
  }
  if (k < n) even = add(k, even);
  return L::add(even, odd);
}

template <class L, class Index>
void rows_of_columns(const CsrView<typename L::Scalar, Index> &a, Index first, Index last, const typename L::Scalar *packed,
                     const kernels::ColumnsUpdate<typename L::Scalar> &update)
{
  using Scalar                = typename L::Scalar;
  constexpr int         block = 32; // rows whose sums go into Y together, so that its columns are not written in turns entry by entry
  alignas(64) std::byte bytes[sizeof(Scalar) * block * pass_columns];
  auto *const           sum = reinterpret_cast<Scalar *>(bytes);
  for (Index row = first; row < last;) {
    const int n = last - row < block ? static_cast<int>(last - row) : block;
    for (int i = 0; i < n; ++i) {
      const Index begin = a.row_ptr[row + i], entries = a.row_ptr[row + i + 1] - begin;
      kernels::prefetch_entries(a.col + begin, a.val + begin, entries);
      L::store(sum + i * pass_columns, row_of_columns<L>(a.col + begin, a.val + begin, entries, packed));
    }
    update(row, sum, n);
    row += static_cast<Index>(n);
  }
}

template <class L, class Index>
void scatter_of_columns(const CsrView<typename L::Scalar, Index> &a, Index first, Index last, const typename L::Scalar *packed,
                        typename L::Scalar *sum)
{
  const bool all = first == 0 && last == a.cols;
  for (Index row = 0; row < a.rows; ++row) {
    const typename L::Vec x     = L::load(packed + std::int64_t(row) * pass_columns);
    const Index           begin = a.row_ptr[row], end = a.row_ptr[row + 1];
    kernels::prefetch_entries(a.col + begin, a.val + begin, end - begin);
    for (Index k = begin; k < end; ++k) {
      const Index col = a.col[k];
      if (!all && (col < first || col >= last)) continue;
      auto *const s = sum + std::int64_t(col) * pass_columns;
      L::store(s, L::mul_add(L::set(a.val[k]), x, L::load(s)));
    }
  }
}

} // namespace petscspmv::csr
