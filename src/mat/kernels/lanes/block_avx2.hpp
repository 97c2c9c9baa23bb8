#pragma once

/// \file block_avx2.hpp
/// Short vectors, as long as the columns of small blocks, in registers of AVX2. To be included only where that is
/// compiled for.

#include <immintrin.h>

#include "kernels/lanes/block_portable.hpp"
#include "kernels/lanes/group_avx2.hpp"

namespace petscspmv::kernels {

/// See PortableBlockLanes for what the operations are. One lane is a plain number, eight are two registers.
struct Avx2BlockLanes {
  using Scalar = double;
  using Group  = Avx2Group;
  using Eight  = Avx2Group::Vec;

  static constexpr bool asks_ahead = true;

  template <int n> static constexpr int chains = n == 8 ? 4 : 8;

  [[gnu::always_inline]] static double  zero(Width<1>) { return 0; }
  [[gnu::always_inline]] static __m128d zero(Width<2>) { return _mm_setzero_pd(); }
  [[gnu::always_inline]] static __m256d zero(Width<4>) { return _mm256_setzero_pd(); }
  [[gnu::always_inline]] static Eight   zero(Width<8>) { return Avx2Group::zero(); }
  [[gnu::always_inline]] static double  load(const double *p, Width<1>) { return *p; }
  [[gnu::always_inline]] static __m128d load(const double *p, Width<2>) { return _mm_loadu_pd(p); }
  [[gnu::always_inline]] static __m256d load(const double *p, Width<4>) { return _mm256_loadu_pd(p); }
  [[gnu::always_inline]] static Eight   load(const double *p, Width<8>) { return Avx2Group::load(p); }
  [[gnu::always_inline]] static double  set(double value, Width<1>) { return value; }
  [[gnu::always_inline]] static __m128d set(double value, Width<2>) { return _mm_set1_pd(value); }
  [[gnu::always_inline]] static __m256d set(double value, Width<4>) { return _mm256_set1_pd(value); }
  [[gnu::always_inline]] static Eight   set(double value, Width<8>) { return Avx2Group::set(value); }
  [[gnu::always_inline]] static __m256d twice(const double *x) { return _mm256_broadcast_pd(reinterpret_cast<const __m128d *>(x)); }
  template <int count> [[gnu::always_inline]] static __m128d load_first(const double *p, Width<2>) { return _mm_loadu_pd(p); }
  template <int count> [[gnu::always_inline]] static __m256d load_first(const double *p, Width<4>)
  {
    if constexpr (count == 4) return _mm256_loadu_pd(p);
    else return _mm256_maskload_pd(p, _mm256_setr_epi64x(-1, count > 1 ? -1 : 0, count > 2 ? -1 : 0, 0));
  }
  template <int count> [[gnu::always_inline]] static Eight load_first(const double *p, Width<8>)
  {
    return {_mm256_loadu_pd(p), load_first<count - 4>(p + 4, Width<4>())};
  }

  [[gnu::always_inline]] static void    store(double *p, double v) { *p = v; }
  [[gnu::always_inline]] static void    store(double *p, __m128d v) { _mm_storeu_pd(p, v); }
  [[gnu::always_inline]] static void    store(double *p, __m256d v) { _mm256_storeu_pd(p, v); }
  [[gnu::always_inline]] static void    store(double *p, Eight v) { Avx2Group::store(p, v); }
  [[gnu::always_inline]] static double  add(double a, double b) { return a + b; }
  [[gnu::always_inline]] static __m128d add(__m128d a, __m128d b) { return _mm_add_pd(a, b); }
  [[gnu::always_inline]] static __m256d add(__m256d a, __m256d b) { return _mm256_add_pd(a, b); }
  [[gnu::always_inline]] static Eight   add(Eight a, Eight b) { return Avx2Group::add(a, b); }
  [[gnu::always_inline]] static double  mul_add(double a, double b, double c) { return __builtin_fma(a, b, c); }
  [[gnu::always_inline]] static __m128d mul_add(__m128d a, __m128d b, __m128d c) { return _mm_fmadd_pd(a, b, c); }
  [[gnu::always_inline]] static __m256d mul_add(__m256d a, __m256d b, __m256d c) { return _mm256_fmadd_pd(a, b, c); }
  [[gnu::always_inline]] static Eight   mul_add(Eight a, Eight b, Eight c) { return Avx2Group::mul_add(a, b, c); }

  template <int count, int vectors, class Vector> [[gnu::always_inline]] static void store_sums(double *sum, const Vector &vector)
  {
    store_sums_of_four<vectors>(
      sum, [&](auto i) __attribute__((always_inline)) { return fold<count>(vector(i)); });
  }

protected:
  /// The first `count` lanes as four lanes with the same sum.
  template <int count> [[gnu::always_inline]] static __m256d fold(__m128d v) { return _mm256_set_m128d(_mm_setzero_pd(), v); }
  template <int count> [[gnu::always_inline]] static __m256d fold(__m256d v)
  {
    return _mm256_blend_pd(v, _mm256_setzero_pd(), 0xf << count & 0xf);
  }
  template <int count> [[gnu::always_inline]] static __m256d fold(Eight v) { return _mm256_add_pd(v.low, fold<count - 4>(v.high)); }

  /// The same for vectors of four lanes.
  template <int vectors, class Vector> [[gnu::always_inline]] static void store_sums_of_four(double *sum, const Vector &vector)
  {
    const auto v = [&](auto i) __attribute__((always_inline))
    {
      if constexpr (i < vectors) return vector(i);
      else return _mm256_setzero_pd();
    };
    _mm256_storeu_pd(sum, sums(v(Number<0>()), v(Number<1>()), v(Number<2>()), v(Number<3>())));
    if constexpr (vectors > 4) _mm256_storeu_pd(sum + 4, sums(v(Number<4>()), v(Number<5>()), v(Number<6>()), v(Number<7>())));
  }

  /// Lane i of the result is the sum of the lanes of vector i.
  [[gnu::always_inline]] static __m256d sums(__m256d a, __m256d b, __m256d c, __m256d d)
  {
    const __m256d ab = _mm256_add_pd(_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b)),
                  cd = _mm256_add_pd(_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
    return _mm256_add_pd(_mm256_permute2f128_pd(ab, cd, 0x21), _mm256_blend_pd(ab, cd, 0xc));
  }
};

} // namespace petscspmv::kernels
