#pragma once

/// \file row_sums.hpp
/// Row sums straight from memory, for matrices that no cache holds: what counts there is to ask for entries and x early enough.

#include <cstdint>

#include "kernels/scalar.hpp"

namespace petscspmv::kernels {

/// What keeps a product waiting.
enum class Access {
  cached,    ///< nothing: the matrix fits the caches
  streams,   ///< columns and values; neighbouring rows read neighbouring parts of x
  scattered, ///< x, too: almost every entry touches another cache line of it
};

inline const char *name(Access access)
{
  if (access == Access::cached) return "tiles";
  return access == Access::streams ? "rows" : "rows_x";
}

/// How far ahead rows are asked for.
struct Ahead {
  static constexpr int bytes =
    2048; ///< of values and, for as many entries, of columns: past the page at which the processor's own prefetching stops
  static constexpr int x = 64; ///< entries whose x is asked for
};

/// Asks for `values` values and `columns` columns, Ahead::bytes ahead of those given.
template <class Scalar, class Index>
[[gnu::always_inline]] inline void prefetch_entries(const Index *col, const Scalar *val, Index values, Index columns)
{
  constexpr Index line = 64;
  for (Index i = 0; i < values; i += line / Index(sizeof(Scalar)))
    __builtin_prefetch(reinterpret_cast<const char *>(val + i) + Ahead::bytes);
  for (Index i = 0; i < columns; i += line / Index(sizeof(Index)))
    __builtin_prefetch(reinterpret_cast<const char *>(col + i) + Ahead::bytes / sizeof(Scalar) * sizeof(Index));
}

/// write(r, sum of row r) for rows from `row` on that end at or before entry `end`; returns the first row that does not.
///
/// `begin` is where the entries of `row` are taken up, and becomes where those of the returned row begin. `entries` is their number in
/// all: columns are looked at `Ahead::x` entries ahead of the product.
template <class L, Access access, class Index, class Write>
[[gnu::always_inline]] inline Index row_sums(const Index *row_ptr, Index row, Index rows, Index &begin, Index end, Index entries,
                                             const Index *col, const typename L::Scalar *val, const typename L::Scalar *x, Write &&write)
{
  using Scalar = typename L::Scalar;
  Index k      = begin;
  for (; row < rows; ++row) {
    const Index stop = row_ptr[row + 1];
    if (stop > end) break;
    if constexpr (access == Access::scattered)
      if (stop + Ahead::x <= entries)
        for (Index i = k; i < stop; ++i) __builtin_prefetch(x + col[i + Ahead::x]);
    prefetch_entries(col + k, val + k, stop - k, stop - k);
    write(row, L::row_dot(col + k, val + k, x, stop - k, entries - k));
    k = stop;
  }
  begin = k;
  return row;
}

} // namespace petscspmv::kernels
