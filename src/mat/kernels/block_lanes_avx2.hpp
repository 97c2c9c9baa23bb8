#pragma once

/// \file block_lanes_avx2.hpp
/// Short vectors, as long as the columns of small blocks, in registers of AVX2. To be included only where that is compiled for.

#include <immintrin.h>

#include "kernels/block_lanes_portable.hpp"
#include "kernels/group_avx2.hpp"

namespace petscspmv::kernels {

/// See PortableBlockLanes for what the operations are. One lane is a plain number, eight are two registers.
struct Avx2BlockLanes {
  using Scalar = double;
  using Group  = Avx2Group;
  using Eight  = Avx2Group::Vec;

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
  [[gnu::always_inline]] static __m256d twice(const double *x)
  {
    return _mm256_permute4x64_pd(_mm256_castpd128_pd256(_mm_loadu_pd(x)), 0x50);
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
};

} // namespace petscspmv::kernels
