#pragma once

/// \file lanes_avx512.hpp
/// Eight doubles of AVX-512. To be included only where that is compiled for.

#include <immintrin.h>

namespace petscspmv::kernels {

/// See PortableLanes for what the operations are.
struct Avx512Lanes {
  using Scalar               = double;
  using Vec                  = __m512d;
  static constexpr int width = 8;

  static Vec  zero() { return _mm512_setzero_pd(); }
  static Vec  load(const double *p) { return _mm512_loadu_pd(p); }
  static Vec  load_first(const double *p, int n) { return _mm512_maskz_loadu_pd(first(n), p); }
  static void store(double *p, Vec v) { _mm512_storeu_pd(p, v); }
  static Vec  add(Vec a, Vec b) { return _mm512_add_pd(a, b); }
  static Vec  mul(Vec a, Vec b) { return _mm512_mul_pd(a, b); }
  static Vec  mul_add(Vec a, Vec b, Vec c) { return _mm512_fmadd_pd(a, b, c); }

  template <class Index> static Vec gather(const double *x, const Index *col)
  {
    const __m128d a = _mm_loadh_pd(_mm_load_sd(x + col[0]), x + col[1]), b = _mm_loadh_pd(_mm_load_sd(x + col[2]), x + col[3]);
    const __m128d c = _mm_loadh_pd(_mm_load_sd(x + col[4]), x + col[5]), d = _mm_loadh_pd(_mm_load_sd(x + col[6]), x + col[7]);
    return __builtin_shufflevector(_mm256_insertf128_pd(_mm256_castpd128_pd256(a), b, 1),
                                   _mm256_insertf128_pd(_mm256_castpd128_pd256(c), d, 1), 0, 1, 2, 3, 4, 5, 6, 7);
  }

  static double sum(Vec v)
  {
    const __m256d h = _mm256_add_pd(low(v), high(v));
    const __m128d q = _mm_add_pd(_mm256_castpd256_pd128(h), _mm256_extractf128_pd(h, 1));
    return _mm_cvtsd_f64(_mm_add_sd(q, _mm_unpackhi_pd(q, q)));
  }

  static Vec sums(const Vec (&v)[width])
  {
    // __builtin_shufflevector: gcc 12 warns of uninitialised variables inside its own _mm512_unpacklo_pd and its like.
    const auto pair = [](Vec a, Vec b) __attribute__((always_inline))
    {
      return __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) + __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
    };
    const auto fold = [](Vec a, Vec b) __attribute__((always_inline))
    {
      return __builtin_shufflevector(a, b, 0, 1, 4, 5, 8, 9, 12, 13) + __builtin_shufflevector(a, b, 2, 3, 6, 7, 10, 11, 14, 15);
    };
    return fold(fold(pair(v[0], v[1]), pair(v[2], v[3])), fold(pair(v[4], v[5]), pair(v[6], v[7])));
  }

private:
  static __m256d  low(Vec v) { return __builtin_shufflevector(v, v, 0, 1, 2, 3); }
  static __m256d  high(Vec v) { return __builtin_shufflevector(v, v, 4, 5, 6, 7); }
  static __mmask8 first(int n) { return static_cast<__mmask8>(n >= 8 ? 0xff : (1u << n) - 1); }
};

} // namespace petscspmv::kernels
