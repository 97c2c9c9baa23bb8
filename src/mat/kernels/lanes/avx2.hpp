#pragma once

/// \file avx2.hpp
/// Four doubles of AVX2 with FMA. To be included only where that is compiled for.

#include <cstdint>
#include <cstring>
#include <immintrin.h>

#include "kernels/lanes/isa.hpp"
#include "kernels/lanes/portable.hpp"

namespace petscspmv::kernels {

/// x[c0], x[c1], x[c2], x[c3] by scalar loads.
[[gnu::always_inline]] inline __m256d gather4(const double *x, std::uint64_t c0, std::uint64_t c1, std::uint64_t c2, std::uint64_t c3)
{
  const __m128d a = _mm_loadh_pd(_mm_load_sd(x + c0), x + c1), b = _mm_loadh_pd(_mm_load_sd(x + c2), x + c3);
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(a), b, 1);
}
[[gnu::always_inline]] inline __m256d gather4(const double *x, const std::int64_t *col)
{
  return gather4(x, static_cast<std::uint64_t>(col[0]), static_cast<std::uint64_t>(col[1]), static_cast<std::uint64_t>(col[2]),
                 static_cast<std::uint64_t>(col[3]));
}
/// Two columns a load: the loads are what limits this loop.
[[gnu::always_inline]] inline __m256d gather4(const double *x, const std::int32_t *col)
{
  std::uint64_t pair[2];
  std::memcpy(pair, col, sizeof pair);
  return gather4(x, static_cast<std::uint32_t>(pair[0]), pair[0] >> 32, static_cast<std::uint32_t>(pair[1]), pair[1] >> 32);
}

/// Four columns a load, halved and halved again: that takes fewer instructions than to shift each out of the whole
/// word. Of 27 real matrices in caches (AMD Zen 3), ccoo took with columns of 8 and 16 bits what it takes with 32 bits
/// times 1.03 (geometric mean; most 1.15) by shifts, 0.96 (1.03) by halves.
[[gnu::always_inline]] inline __m256d gather4(const double *x, const std::uint16_t *col)
{
  std::uint64_t c;
  std::memcpy(&c, col, sizeof c);
  const auto low = static_cast<std::uint32_t>(c), high = static_cast<std::uint32_t>(c >> 32);
  return gather4(x, low & 0xffff, low >> 16, high & 0xffff, high >> 16);
}
[[gnu::always_inline]] inline __m256d gather4(const double *x, const std::uint8_t *col)
{
  std::uint32_t c;
  std::memcpy(&c, col, sizeof c);
  const std::uint32_t low = c & 0xffff, high = c >> 16;
  return gather4(x, low & 0xff, low >> 8, high & 0xff, high >> 8);
}

/// See PortableLanes for what the operations are, and for those that are left to it. `isa`: what the file is compiled
/// for that uses them. Lanes of AVX-512 do in part, and their copies must have names of their own: the linker would
/// keep one of two with the same name for all processors.
template <Isa isa> struct Avx2LanesFor : PortableLanes<double> {
  using Scalar               = double;
  using Vec                  = __m256d;
  static constexpr int width = 4;

  using NodeLanes = Avx2LanesFor;

  static Vec  zero() { return _mm256_setzero_pd(); }
  static Vec  load(const double *p) { return _mm256_loadu_pd(p); }
  static void store(double *p, Vec v) { _mm256_storeu_pd(p, v); }
  static Vec  mul_add(Vec a, Vec b, Vec c) { return _mm256_fmadd_pd(a, b, c); }

  template <class Index> [[gnu::always_inline]] static Vec gather(const double *x, const Index *col) { return gather4(x, col); }

  /// The first n lanes of p; the others are zero and their memory is not touched.
  static Vec load_first(const double *p, std::int64_t n) { return _mm256_maskload_pd(p, first(n)); }

  /// x[col[i]] for i < n, 0 < n < 4, and zero in the other lanes, whatever x holds where their columns point to.
  template <class Index>
  [[gnu::always_inline]] static Vec gather_first(const double *x, const Index *col, std::int64_t n, std::int64_t slack)
  {
    if (slack >= width) return _mm256_and_pd(gather4(x, col), _mm256_castsi256_pd(first(n)));
    const std::uint64_t c[3] = {static_cast<std::uint64_t>(col[0]), static_cast<std::uint64_t>(col[n > 1 ? 1 : 0]),
                                static_cast<std::uint64_t>(col[n > 2 ? 2 : 0])};
    return _mm256_and_pd(gather4(x, c[0], c[1], c[2], c[0]), _mm256_castsi256_pd(first(n)));
  }

  template <int count> [[gnu::always_inline]] static void store_sums(double *sum, const Vec (&v)[count])
  {
    constexpr int whole = count / width * width;
#pragma GCC unroll 2
    for (int i = 0; i < whole; i += width) store(sum + i, sums({v[i], v[i + 1], v[i + 2], v[i + 3]}));
    if constexpr (count - whole == 1) sum[whole] = Avx2LanesFor::sum(v[whole]);
    if constexpr (count - whole == 2) _mm_storeu_pd(sum + whole, pair_sums(v[whole], v[whole + 1]));
    if constexpr (count - whole == 3) store(sum + whole, sums({v[whole], v[whole + 1], v[whole + 2], zero()}));
  }

  template <class Index> [[gnu::always_inline]] static void products(const Index *col, const double *val, const double *x, double *out)
  {
    store(out, _mm256_mul_pd(_mm256_loadu_pd(val), gather4(x, col)));
  }

  template <bool ahead, class Index>
  static double dot(const Index *col, const double *val, const double *x, std::int64_t n, std::int64_t slack)
  {
    return sum(dot_in_lanes<ahead>(col, val, x, n, slack));
  }

  template <bool ahead, class Index>
  [[gnu::always_inline]] static double row_dot(const Index *col, const double *val, const double *x, std::int64_t n, std::int64_t slack)
  {
    if (n < 16) return PortableLanes<double>::row_dot<ahead>(col, val, x, n, slack);
    return sum(dot_in_lanes<ahead>(col, val, x, n, slack));
  }

  template <bool ahead, class Index>
  static Vec segment_dots(const Index *col, const double *val, const double *x, const int *end, std::int64_t slack)
  {
    Vec v[width];
    for (int i = 0; i < width; ++i)
      v[i] = dot_in_lanes<ahead>(col + end[i - 1], val + end[i - 1], x, end[i] - end[i - 1], slack - end[i - 1]);
    return sums(v);
  }

  static bool any_longer(const int *end, int n)
  {
    const __m128i length = _mm_sub_epi32(load4(end), load4(end - 1));
    return _mm_movemask_epi8(_mm_cmpgt_epi32(length, _mm_set1_epi32(n))) != 0;
  }

  static Vec segment_sums(const double *product, int mask, const int *end)
  {
    Vec v[width];
#pragma GCC unroll 4
    for (int i = 0; i < width; ++i) v[i] = load_first(product + (end[i - 1] & mask), end[i] - end[i - 1]);
    for (int done = width; any_longer(end, done); done += width)
#pragma GCC unroll 4
      for (int i = 0; i < width; ++i)
        v[i] = _mm256_add_pd(v[i], load_first(product + (end[i - 1] & mask) + done, end[i] - end[i - 1] - done));
    return sums(v);
  }

  /// The lanes of the result add up to the dot product.
  template <bool ahead, class Index>
  [[gnu::always_inline]] static Vec dot_in_lanes(const Index *col, const double *val, const double *x, std::int64_t n, std::int64_t slack)
  {
    Vec          a = _mm256_setzero_pd(), b = a;
    std::int64_t i = 0;
    for (constexpr std::int64_t pair = std::int64_t(2) * width; i + pair <= n; i += pair) {
      if constexpr (ahead) prefetch_line(col + i, val + i);
      a = _mm256_fmadd_pd(_mm256_loadu_pd(val + i), gather4(x, col + i), a);
      b = _mm256_fmadd_pd(_mm256_loadu_pd(val + i + width), gather4(x, col + i + width), b);
    }
    if (i + width <= n) {
      a = _mm256_fmadd_pd(_mm256_loadu_pd(val + i), gather4(x, col + i), a);
      i += width;
    }
    if (i < n) b = _mm256_fmadd_pd(load_first(val + i, n - i), gather_first(x, col + i, n - i, slack - i), b);
    return _mm256_add_pd(a, b);
  }

  static double sum(Vec v)
  {
    const __m128d q = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_add_sd(q, _mm_unpackhi_pd(q, q)));
  }

  /// Lane i of the result is the sum of the lanes of v[i].
  [[gnu::always_inline]] static Vec sums(const Vec (&v)[width])
  {
    const Vec a = _mm256_add_pd(_mm256_unpacklo_pd(v[0], v[1]), _mm256_unpackhi_pd(v[0], v[1]));
    const Vec b = _mm256_add_pd(_mm256_unpacklo_pd(v[2], v[3]), _mm256_unpackhi_pd(v[2], v[3]));
    return _mm256_add_pd(_mm256_permute2f128_pd(a, b, 0x20), _mm256_permute2f128_pd(a, b, 0x31));
  }

private:
  static __m128i load4(const int *p)
  {
    return _mm_loadu_si128(reinterpret_cast<const __m128i *>(p));
  }
  static __m256i first(std::int64_t n)
  {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
  }
  static __m128d pair_sums(Vec a, Vec b)
  {
    const Vec s = _mm256_add_pd(_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
    return _mm_add_pd(_mm256_castpd256_pd128(s), _mm256_extractf128_pd(s, 1));
  }
};

using Avx2Lanes = Avx2LanesFor<Isa::avx2>;

} // namespace petscspmv::kernels
