#pragma once

/// \file block_lanes_avx512.hpp
/// Short vectors, as long as the columns of small blocks, where there is AVX-512: eight lanes are one register. To be included only where
/// that is compiled for.

#include "kernels/block_lanes_avx2.hpp"
#include "kernels/group_avx512.hpp"

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
};

} // namespace petscspmv::kernels
