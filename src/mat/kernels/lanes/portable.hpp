#pragma once

/// \file portable.hpp
/// One lane: the kernels as plain loops, for any processor and any scalar.

#include <cstdint>

#include "kernels/lanes/prefetch.hpp"
#include "kernels/lanes/scalar.hpp"

namespace petscspmv::kernels {

/// What a type of lanes offers to the kernels, in its simplest form. `width` segments are summed side by side.
template <class T> struct PortableLanes {
  using Scalar               = T;
  using Vec                  = T; ///< `width` scalars
  static constexpr int width = 1;

  using NodeLanes = PortableLanes; ///< lanes that suit rows that are summed together

  static Vec  zero() { return T(0); }
  static Vec  load(const T *p) { return *p; }
  static void store(T *p, Vec v) { *p = v; }
  static Vec  mul_add(Vec a, Vec b, Vec c) { return c + multiply(a, b); }

  /// x[col[i]] for i < width.
  template <class Index> static Vec gather(const T *x, const Index *col) { return x[*col]; }

  /// The same for the first n < width lanes; the others are zero. Never called where width is one.
  static Vec                        load_first(const T *, std::int64_t) { return T(0); }
  template <class Index> static Vec gather_first(const T *, const Index *, std::int64_t, std::int64_t) { return T(0); }

  /// sum[i] becomes the sum of the lanes of v[i], for i < count. Up to `width - 1` more may be written.
  template <int count> static void store_sums(T *sum, const Vec (&v)[count])
  {
    for (int i = 0; i < count; ++i) sum[i] = v[i];
  }

  /// out[i] = val[i] x[col[i]] for i < width.
  template <class Index> static void products(const Index *col, const T *val, const T *x, T *out) { *out = multiply(*val, x[*col]); }

  /// The sum of val[i] x[col[i]] for i < n. Up to `slack` >= n columns may be looked at. `ahead`: columns and values
  /// come from memory.
  template <bool ahead, class Index>
  [[gnu::always_inline]] static T dot(const Index *col, const T *val, const T *x, std::int64_t n, std::int64_t /* slack */)
  {
    constexpr int ways      = 4;
    T             sum[ways] = {};
    std::int64_t  i         = 0;
    for (; i + ways <= n; i += ways) {
      if constexpr (ahead) prefetch_line(col + i, val + i);
      for (int k = 0; k < ways; ++k) sum[k] += multiply(val[i + k], x[col[i + k]]);
    }
    for (; i < n; ++i) sum[0] += multiply(val[i], x[col[i]]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }

  /// The same for a short row: few instructions an entry matter more than short chains of them, because the processor
  /// looks further ahead then.
  template <bool ahead, class Index>
  [[gnu::always_inline]] static T row_dot(const Index *col, const T *val, const T *x, std::int64_t n, std::int64_t /* slack */)
  {
    if constexpr (!ahead) {
      T sum = 0;
      for (std::int64_t i = 0; i < n; ++i) sum += multiply(val[i], x[col[i]]);
      return sum;
    }
    prefetch_entries(col, val, n);
    T            a = 0, b = 0;
    std::int64_t i = 0;
    for (; i + 2 <= n; i += 2) {
      a += multiply(val[i], x[col[i]]);
      b += multiply(val[i + 1], x[col[i + 1]]);
    }
    if (i < n) a += multiply(val[i], x[col[i]]);
    return a + b;
  }

  /// The same where entries come from memory and x is scattered. `far`: x is prefetched, too.
  template <bool far, class Index>
  [[gnu::always_inline]] static T gather_dot(const Index *col, const T *val, const T *x, std::int64_t n, std::int64_t slack)
  {
    return dot<true>(col, val, x, n, slack);
  }

  /// Lane i is the dot product over the entries end[i - 1] .. end[i] - 1.
  template <bool ahead, class Index> static Vec segment_dots(const Index *col, const T *val, const T *x, const int *end, std::int64_t slack)
  {
    return dot<ahead>(col + end[-1], val + end[-1], x, end[0] - end[-1], slack - end[-1]);
  }

  /// Lane i is the sum of product[j & mask] over end[i - 1] <= j < end[i]. No segment may be longer than n if
  /// any_longer(end, n).
  static bool any_longer(const int *end, int n) { return end[0] - end[-1] > n; }
  static Vec  segment_sums(const T *product, int mask, const int *end)
  {
    T sum = 0;
    for (int i = end[-1]; i < end[0]; ++i) sum += product[i & mask];
    return sum;
  }

  /// Writes row_ptr[r + 1] - begin for those of the next row_block rows that have entries, one after the other, and
  /// returns their number. Up to row_block more may be written.
  static constexpr int                                     row_block = 1;
  template <class Index> [[gnu::always_inline]] static int ends_of_block(const Index *row_ptr, Index begin, int *end)
  {
    *end = static_cast<int>(row_ptr[1] - begin);
    return row_ptr[0] != row_ptr[1];
  }
};

} // namespace petscspmv::kernels
