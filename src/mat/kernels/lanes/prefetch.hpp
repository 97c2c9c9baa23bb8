#pragma once

/// \file prefetch.hpp
/// Asking for entries and x before they are needed, for matrices that no cache holds.
///
/// What does nothing else is inlined always, here and elsewhere (tests/layers/asked_for.cmake): GCC 12 leaves out calls
/// of a function that has no other effect. Refreshes of large matrices were twice as slow for that: 300,000 rows of a
/// mesh 2.0 instead of 1.2 ns an entry.

#include <cstdint>

#include "kernels/host/cache.hpp"

namespace petscspmv::kernels {

/// What keeps a product waiting.
enum class Access {
  cached,    ///< nothing: the matrix fits the caches
  streams,   ///< columns and values; neighbouring rows read neighbouring parts of x
  scattered, ///< x, too: almost every entry touches another cache line of it
  far,       ///< the same, and its entries are prefetched
};

constexpr bool is_scattered(Access access)
{
  return access == Access::scattered || access == Access::far;
}

/// How far ahead to prefetch. Measured on AMD Zen 4; a page of the next 4 KiB is where the processor's own prefetching
/// stops.
struct Ahead {
  static constexpr int bytes        = 2048; ///< of values, and columns of as many entries: 7-point 0.79 ns an entry, without 1.25
  static constexpr int gather_bytes = 1024; ///< the same beside gathers: shuffled 27-point 1.32 ns an entry, 2048 gives 1.41
  /// Entries whose x is prefetched. It goes to the second cache, which can wait for more lines at a time than the
  /// first. ns an entry, with 64 entries to the first cache, 64 and 256 to the second: a circuit of 3 M rows 3.5, 2.5,
  /// 2.2; shuffled 5-point 700^2 2.0, 1.6, 1.7.
  static constexpr int x = 256;
};

/// Whether x with so many entries is prefetched beside gathers.
template <class Scalar> [[gnu::always_inline]] constexpr bool x_is_far(std::int64_t entries)
{
  return entries * std::int64_t(sizeof(Scalar)) >= far_x_bytes;
}

/// Asks for the cache line of values that is `bytes` ahead of `val`.
template <int bytes = Ahead::bytes, class Scalar> [[gnu::always_inline]] inline void prefetch_values(const Scalar *val)
{
  __builtin_prefetch(reinterpret_cast<const char *>(val) + bytes);
}

/// Asks for the cache line of columns that is as many entries ahead of `col` as `bytes` bytes of values are.
template <class Scalar, int bytes = Ahead::bytes, class Index> [[gnu::always_inline]] inline void prefetch_columns(const Index *col)
{
  __builtin_prefetch(reinterpret_cast<const char *>(col) + bytes / sizeof(Scalar) * sizeof(Index));
}

/// Both.
template <int bytes = Ahead::bytes, class Scalar, class Index>
[[gnu::always_inline]] inline void prefetch_line(const Index *col, const Scalar *val)
{
  prefetch_values<bytes>(val);
  prefetch_columns<Scalar, bytes>(col);
}

/// Asks for n entries, Ahead::bytes ahead of those given.
template <class Scalar, class Index, class Count>
[[gnu::always_inline]] inline void prefetch_entries(const Index *col, const Scalar *val, Count n)
{
  constexpr int line = 64;
  for (Count i = 0; i < n; i += line / int(sizeof(Scalar))) prefetch_values(val + i);
  for (Count i = 0; i < n; i += line / int(sizeof(Index))) prefetch_columns<Scalar>(col + i);
}

/// Asks for n entries of x, Ahead::x entries ahead of those at `col`, if there are that many among the `slack` entries
/// from there on.
template <int n, class Scalar, class Index>
[[gnu::always_inline]] inline void prefetch_x(const Index *col, const Scalar *x, std::int64_t slack)
{
  if (n + Ahead::x > slack) return;
#pragma GCC unroll 16
  for (int i = 0; i < n; ++i) __builtin_prefetch(x + col[i + Ahead::x], 0, 2);
}

} // namespace petscspmv::kernels
