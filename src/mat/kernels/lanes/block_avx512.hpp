#pragma once

/// \file block_avx512.hpp
/// Short vectors, as long as the columns of small blocks, where there is AVX-512: eight lanes are one register. To be
/// included only where that is compiled for.

#include "kernels/lanes/block_avx2.hpp"
#include "kernels/lanes/group_avx512.hpp"

namespace petscspmv::kernels {

/// See PortableBlockLanes for what the operations are. Shorter vectors are those of AVX2.
struct Avx512BlockLanes : Avx2BlockLanes {
  using Group = Avx512Group<false>;

  template <int n> static constexpr int chains = 8;

  using Avx2BlockLanes::add;
  using Avx2BlockLanes::load;
  using Avx2BlockLanes::mul_add;
  using Avx2BlockLanes::set;
  using Avx2BlockLanes::store;
  using Avx2BlockLanes::zero;
  [[gnu::always_inline]] static __m512d zero(Width<8>) { return _mm512_setzero_pd(); }
  [[gnu::always_inline]] static __m512d load(const double *p, Width<8>) { return _mm512_loadu_pd(p); }
  [[gnu::always_inline]] static __m512d set(double value, Width<8>) { return _mm512_set1_pd(value); }
  [[gnu::always_inline]] static void    store(double *p, __m512d v) { _mm512_storeu_pd(p, v); }
  [[gnu::always_inline]] static __m512d add(__m512d a, __m512d b) { return _mm512_add_pd(a, b); }
  [[gnu::always_inline]] static __m512d mul_add(__m512d a, __m512d b, __m512d c) { return _mm512_fmadd_pd(a, b, c); }

  /// One template for all widths: two that differ in what they return do not hide each other, so that `using` would
  /// make them ambiguous.
  template <int count, int n> [[gnu::always_inline]] static auto load_first(const double *p, Width<n> width)
  {
    if constexpr (n == 8) return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << count) - 1), p);
    else return Avx2BlockLanes::load_first<count>(p, width);
  }

  template <int count, int vectors, class Vector> [[gnu::always_inline]] static void store_sums(double *sum, const Vector &vector)
  {
    store_sums_of_four<vectors>(
      sum, [&](auto i) __attribute__((always_inline)) { return fold<count>(vector(i)); });
  }

private:
  using Avx2BlockLanes::fold;
  template <int count> [[gnu::always_inline]] static __m256d fold(__m512d v)
  {
    return _mm256_add_pd(__builtin_shufflevector(v, v, 0, 1, 2, 3),
                         Avx2BlockLanes::fold<count - 4>(__builtin_shufflevector(v, v, 4, 5, 6, 7)));
  }
};

} // namespace petscspmv::kernels
