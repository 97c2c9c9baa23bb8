#pragma once

/// \file block_wide.hpp
/// Short vectors, as long as the columns of small blocks, in registers of AVX2 and AVX-512. To be included only where
/// one of these is compiled for.

#include <cstring>
#include <immintrin.h>

#include "impls/bccoo/block_portable.hpp"

namespace petscspmv::bccoo {

/// See PortableBlockLanes for what the operations are. One lane is a plain number, eight are what G has for a group of
/// rows: two registers of AVX2, or one of AVX-512.
template <class G> struct WideBlockLanes {
  using Scalar = double;
  using Group  = G;
  using Eight  = typename G::Vec;

  static constexpr bool asks_ahead = true, has_halves = requires(Eight v) { v.low; };

  template <int n> static constexpr int chains = n == 8 && has_halves ? 4 : 8;

  [[gnu::always_inline]] static double  zero(Width<1>) { return 0; }
  [[gnu::always_inline]] static __m128d zero(Width<2>) { return _mm_setzero_pd(); }
  [[gnu::always_inline]] static __m256d zero(Width<4>) { return _mm256_setzero_pd(); }
  [[gnu::always_inline]] static Eight   zero(Width<8>) { return G::zero(); }
  [[gnu::always_inline]] static double  set(double value, Width<1>) { return value; }
  [[gnu::always_inline]] static __m128d set(double value, Width<2>) { return _mm_set1_pd(value); }
  [[gnu::always_inline]] static __m256d set(double value, Width<4>) { return _mm256_set1_pd(value); }
  [[gnu::always_inline]] static Eight   set(double value, Width<8>) { return G::set(value); }
  [[gnu::always_inline]] static __m256d twice(const double *x) { return _mm256_broadcast_pd(reinterpret_cast<const __m128d *>(x)); }

  [[gnu::always_inline]] static Eight                 load(const double *p, Width<8>) { return G::load(p); }
  template <int n> [[gnu::always_inline]] static auto load(const double *p, Width<n> width)
  {
    auto v = zero(width);
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  template <int count, int n> [[gnu::always_inline]] static auto load_first(const double *p, Width<n> width)
  {
    if constexpr (count == n) return load(p, width);
    else if constexpr (n == 4) return _mm256_maskload_pd(p, _mm256_setr_epi64x(-1, count > 1 ? -1 : 0, count > 2 ? -1 : 0, 0));
    else if constexpr (has_halves) return Eight{load(p, Width<4>()), load_first<count - 4>(p + 4, Width<4>())};
    else return G::load(p, kernels::first_lanes(count));
  }
  template <class Vec> [[gnu::always_inline]] static void store(double *p, Vec v) { std::memcpy(p, &v, sizeof v); }
  [[gnu::always_inline]] static void                      store(double *p, Eight v) { G::store(p, v); }

  template <class Vec> [[gnu::always_inline]] static Vec add(Vec a, Vec b) { return a + b; }
  [[gnu::always_inline]] static Eight                    add(Eight a, Eight b) { return G::add(a, b); }
  [[gnu::always_inline]] static double                   mul_add(double a, double b, double c) { return __builtin_fma(a, b, c); }
  [[gnu::always_inline]] static __m128d                  mul_add(__m128d a, __m128d b, __m128d c) { return _mm_fmadd_pd(a, b, c); }
  [[gnu::always_inline]] static __m256d                  mul_add(__m256d a, __m256d b, __m256d c) { return _mm256_fmadd_pd(a, b, c); }
  [[gnu::always_inline]] static Eight                    mul_add(Eight a, Eight b, Eight c) { return G::mul_add(a, b, c); }

  template <int count, int vectors, class Vector> [[gnu::always_inline]] static void store_sums(double *sum, const Vector &vector)
  {
    const auto v = [&](auto i) __attribute__((always_inline))
    {
      if constexpr (i < vectors) return fold<count>(vector(i));
      else return _mm256_setzero_pd();
    };
    store(sum, sums(v(kernels::Number<0>()), v(kernels::Number<1>()), v(kernels::Number<2>()), v(kernels::Number<3>())));
    if constexpr (vectors > 4)
      store(sum + 4, sums(v(kernels::Number<4>()), v(kernels::Number<5>()), v(kernels::Number<6>()), v(kernels::Number<7>())));
  }

private:
  /// The first `count` lanes as four lanes with the same sum.
  template <int count> [[gnu::always_inline]] static __m256d fold(__m128d v) { return _mm256_set_m128d(_mm_setzero_pd(), v); }
  template <int count> [[gnu::always_inline]] static __m256d fold(__m256d v)
  {
    return _mm256_blend_pd(v, _mm256_setzero_pd(), 0xf << count & 0xf);
  }
  template <int count> [[gnu::always_inline]] static __m256d fold(Eight v)
  {
    if constexpr (has_halves) return v.low + fold<count - 4>(v.high);
    else return __builtin_shufflevector(v, v, 0, 1, 2, 3) + fold<count - 4>(__builtin_shufflevector(v, v, 4, 5, 6, 7));
  }

  /// Lane i of the result is the sum of the lanes of vector i.
  [[gnu::always_inline]] static __m256d sums(__m256d a, __m256d b, __m256d c, __m256d d)
  {
    const __m256d ab = _mm256_unpacklo_pd(a, b) + _mm256_unpackhi_pd(a, b), cd = _mm256_unpacklo_pd(c, d) + _mm256_unpackhi_pd(c, d);
    return _mm256_permute2f128_pd(ab, cd, 0x21) + _mm256_blend_pd(ab, cd, 0xc);
  }
};

} // namespace petscspmv::bccoo
