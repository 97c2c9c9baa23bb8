#pragma once

/// \file columns.hpp
/// Products with several vectors at once: lane = vector. Eight entries of X with the same row lie side by side, so that
/// an entry of the matrix, read once, is multiplied by all of them, and so that x costs one cache line an entry
/// wherever the entry's column is.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/host/parallel.hpp"
#include "kernels/rows/update.hpp"

namespace petscspmv::kernels {

/// Vectors of a pass: lanes of a vector of doubles in AVX-512, entries of a cache line.
inline constexpr int pass_columns = 8;

/// Fewest vectors that are worth a pass.
inline constexpr int least_columns = 3;

/// Memory for a pass of X with n rows.
template <class Scalar> constexpr std::size_t packed_bytes(std::int64_t n)
{
  return static_cast<std::size_t>(n) * pass_columns * sizeof(Scalar);
}

/// packed[r pass_columns + c] = x[c ldx + r] for rows first <= r < last and c < columns. Other lanes repeat the last
/// vector: whatever they are multiplied by raises no floating-point exception that it does not raise itself, as zeros
/// would that meet an infinity.
template <class Scalar>
void pack_columns(const Scalar *x, std::int64_t ldx, std::int64_t first, std::int64_t last, int columns, Scalar *packed)
{
  constexpr std::int64_t block = 64; // rows that stay in the nearest cache while their columns come one after the other
  for (std::int64_t from = first; from < last; from += block) {
    const std::int64_t to = from + block < last ? from + block : last;
    for (int c = 0; c < pass_columns; ++c)
      for (std::int64_t r = from; r < to; ++r) packed[r * pass_columns + c] = x[std::min(c, columns - 1) * ldx + r];
  }
}

/// The same for n rows, a part of them on each of `threads` threads.
template <class Scalar> void pack_columns(int threads, const Scalar *x, std::int64_t ldx, std::int64_t n, int columns, Scalar *packed)
{
  for_each_part(threads, [&](int part) { pack_columns(x, ldx, n * part / threads, n * (part + 1) / threads, columns, packed); });
}

/// Calls pass(x, y, n) for n <= pass_columns vectors at a time, and single(x, y) for each of those that are left over,
/// if they are fewer than are worth a pass; for all, unless passes are worth it (`pays`).
template <class Scalar, class Single, class Pass>
void in_passes(bool pays, int columns, const Scalar *x, std::int64_t ldx, Scalar *y, std::int64_t ldy, const Single &single,
               const Pass &pass)
{
  for (int c = 0; c < columns;) {
    const int n = columns - c < pass_columns ? columns - c : pass_columns;
    if (pays && n >= least_columns) {
      pass(x + c * ldx, y + c * ldy, n);
      c += n;
    } else {
      single(x + c * ldx, y + c * ldy);
      ++c;
    }
  }
}

/// Sums on their way into the columns of Y. As a RowUpdate is, by value.
template <class Scalar> struct ColumnsUpdate {
  RowUpdate<Scalar> update; ///< of the first column
  std::int64_t      ldy;
  int               columns;

  /// Rows row .. row + n - 1, whose sums are [n][pass_columns].
  template <class Count> [[gnu::always_inline]] void operator()(std::int64_t row, const Scalar *__restrict sum, Count n) const
  {
    if (update.only_stores())
      for (int c = 0; c < columns; ++c)
        for (Count i = 0; i < n; ++i) update.y()[row + i + c * ldy] = sum[i * pass_columns + c] + Scalar(0);
    else
      for (int c = 0; c < columns; ++c)
        for (Count i = 0; i < n; ++i) update(row + i + c * ldy, sum[i * pass_columns + c]);
  }
};

} // namespace petscspmv::kernels
