#pragma once

/// \file lanes_avx2.hpp
/// Four doubles of AVX2 with FMA. To be included only where that is compiled for.

#include <immintrin.h>

namespace petscspmv::kernels {

/// See PortableLanes for what the operations are.
struct Avx2Lanes {
  using Scalar               = double;
  using Vec                  = __m256d;
  static constexpr int width = 4;

  static Vec  zero() { return _mm256_setzero_pd(); }
  static Vec  load(const double *p) { return _mm256_loadu_pd(p); }
  static Vec  load_first(const double *p, int n) { return _mm256_maskload_pd(p, first(n)); }
  static void store(double *p, Vec v) { _mm256_storeu_pd(p, v); }
  static Vec  add(Vec a, Vec b) { return _mm256_add_pd(a, b); }
  static Vec  mul(Vec a, Vec b) { return _mm256_mul_pd(a, b); }
  static Vec  mul_add(Vec a, Vec b, Vec c) { return _mm256_fmadd_pd(a, b, c); }

  template <class Index> static Vec gather(const double *x, const Index *col)
  {
    const __m128d a = _mm_loadh_pd(_mm_load_sd(x + col[0]), x + col[1]), b = _mm_loadh_pd(_mm_load_sd(x + col[2]), x + col[3]);
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(a), b, 1);
  }

  static double sum(Vec v)
  {
    const __m128d q = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_add_sd(q, _mm_unpackhi_pd(q, q)));
  }

  static Vec sums(const Vec (&v)[width])
  {
    const Vec a = _mm256_add_pd(_mm256_unpacklo_pd(v[0], v[1]), _mm256_unpackhi_pd(v[0], v[1]));
    const Vec b = _mm256_add_pd(_mm256_unpacklo_pd(v[2], v[3]), _mm256_unpackhi_pd(v[2], v[3]));
    return _mm256_add_pd(_mm256_permute2f128_pd(a, b, 0x20), _mm256_permute2f128_pd(a, b, 0x31));
  }

private:
  static __m256i first(int n) { return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3)); }
};

} // namespace petscspmv::kernels
