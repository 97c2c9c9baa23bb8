#pragma once

/// \file update.hpp
/// y = alpha s + beta y, for the rows whose sums s are complete.

#include "kernels/lanes/scalar.hpp"

namespace petscspmv::kernels {

/// y = beta y, where beta == 0 writes zeros whatever y held. Each case has its loop: of a question in the loop, Clang
/// may compute both answers, and a product with what y held may raise exceptions.
template <class Scalar, class Index> [[gnu::always_inline]] inline void scale(Index n, Scalar beta, Scalar *y)
{
  if (beta == Scalar(0))
    for (Index i = 0; i < n; ++i) y[i] = Scalar(0);
  else if (beta != Scalar(1))
    for (Index i = 0; i < n; ++i) y[i] = multiply(beta, y[i]);
}

/// How sums enter y. beta == 0 means that y is never read, so that whatever it held is overwritten.
///
/// Sums begin at +0, as those of a plain loop do: the sum of no entries, or of entries that are all -0, is +0.
template <class Scalar> class RowUpdate {
public:
  [[gnu::always_inline]] RowUpdate(Scalar alpha, Scalar beta, Scalar *y)
    : y_(y), alpha_(alpha), beta_(beta), unit_(alpha == Scalar(1)), replaces_(beta == Scalar(0)), adds_(beta == Scalar(1))
  {
  }

  /// True if a row without entries stays as it is.
  [[gnu::always_inline]] bool keeps_empty_rows() const { return adds_; }

  /// True if y = s for sums s that are begun with +0: then they can be written to y() as they are.
  [[gnu::always_inline]] bool    only_stores() const { return replaces_ && unit_; }
  [[gnu::always_inline]] Scalar *y() const { return y_; }

  template <class Index> [[gnu::always_inline]] void operator()(Index row, Scalar sum) const
  {
    y_[row] = replaces_ ? scaled(sum) : scaled(sum) + old(row);
  }

  /// Rows row .. row + n - 1 get sum[0] .. sum[n - 1].
  template <class Index> [[gnu::always_inline]] void operator()(Index row, const Scalar *__restrict sum, Index n) const
  {
    Scalar *__restrict y = y_ + row;
    if (replaces_ && unit_)
      for (Index i = 0; i < n; ++i) y[i] = sum[i] + Scalar(0);
    else if (replaces_)
      for (Index i = 0; i < n; ++i) y[i] = multiply(alpha_, sum[i] + Scalar(0));
    else if (adds_ && unit_)
      for (Index i = 0; i < n; ++i) y[i] += sum[i];
    else
      for (Index i = 0; i < n; ++i) (*this)(row + i, sum[i]);
  }

  /// Rows first .. last - 1 have no entries.
  template <class Index> [[gnu::always_inline]] void empty(Index first, Index last) const { scale(last - first, beta_, y_ + first); }

private:
  // A factor of one is left out, because 1 + 0i times a number with an infinite part has a NaN in it.
  [[gnu::always_inline]] Scalar scaled(Scalar sum) const { return unit_ ? sum + Scalar(0) : multiply(alpha_, sum + Scalar(0)); }
  template <class Index> [[gnu::always_inline]] Scalar old(Index row) const { return adds_ ? y_[row] : multiply(beta_, y_[row]); }

  Scalar *y_;
  Scalar  alpha_, beta_;
  bool    unit_;     // alpha == 1
  bool    replaces_; // beta == 0
  bool    adds_;     // beta == 1
};

} // namespace petscspmv::kernels
