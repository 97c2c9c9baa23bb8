#pragma once

/// \file avx512.hpp
/// Eight doubles of AVX-512. To be included only where that is compiled for.

#include <cstdint>
#include <immintrin.h>

#include "kernels/lanes/avx2.hpp"

namespace petscspmv::kernels {

/// See PortableLanes for what the operations are, and Avx2LanesFor for those that are left to four lanes. Entries are
/// multiplied four at a time: eight scalar loads of x take longer than what a wider register would save, and the halves
/// need not be put together.
struct Avx512Lanes : Avx2LanesFor<Isa::avx512> {
  using Vec                  = __m512d;
  static constexpr int width = 8;

  using Half = Avx2LanesFor<Isa::avx512>;

  static void store(double *p, Vec v) { _mm512_storeu_pd(p, v); }

  template <class Index> [[gnu::always_inline]] static void products(const Index *col, const double *val, const double *x, double *out)
  {
    Half::products(col, val, x, out);
    Half::products(col + 4, val + 4, x, out + 4);
  }

  /// Here the gather instruction wins, because more of its loads are under way at a time than of single ones: shuffled
  /// 27-point 1.32 ns an entry, single loads 1.95. Masks for the rest of a row: no branch depends on its length modulo
  /// eight.
  template <bool far, class Index>
  [[gnu::always_inline]] static double gather_dot(const Index *col, const double *val, const double *x, std::int64_t n, std::int64_t slack)
  {
    Vec acc = _mm512_setzero_pd();
    for (std::int64_t i = 0; i < n; i += width) {
      const __mmask8 m = n - i < width ? first(static_cast<int>(n - i)) : __mmask8(0xff);
      prefetch_line<Ahead::gather_bytes>(col + i, val + i);
      if constexpr (far) prefetch_x<width>(col + i, x, slack - i);
      acc = _mm512_mask3_fmadd_pd(_mm512_maskz_loadu_pd(m, val + i), gather(x, col + i, m), acc, m);
    }
    return _mm512_reduce_add_pd(acc);
  }

  template <bool ahead, class Index>
  static Vec segment_dots(const Index *col, const double *val, const double *x, const int *end, std::int64_t slack)
  {
    const __m256d low = Half::segment_dots<ahead>(col, val, x, end, slack), high = Half::segment_dots<ahead>(col, val, x, end + 4, slack);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
  }

  static bool any_longer(const int *end, int n)
  {
    const __m256i length = _mm256_sub_epi32(load8(end), load8(end - 1));
    return _mm256_cmpgt_epi32_mask(length, _mm256_set1_epi32(n)) != 0;
  }

  [[gnu::always_inline]] static Vec segment_sums(const double *product, int mask, const int *end)
  {
    if (end[width - 1] - end[-1] <= 2 * width) return sums_of_few(product + (end[-1] & mask), end);
    if (any_longer(end, width)) return sums_of_longer(product, mask, end);
    return sums_of_first(product, mask, end);
  }

  static constexpr int row_block = 16;
  static int           ends_of_block(const std::int32_t *row_ptr, std::int32_t begin, int *end)
  {
    const __m512i   start = _mm512_loadu_si512(row_ptr), stop = _mm512_loadu_si512(row_ptr + 1);
    const __mmask16 filled = _mm512_cmpneq_epi32_mask(start, stop);
    _mm512_storeu_si512(end, _mm512_maskz_compress_epi32(filled, _mm512_sub_epi32(stop, _mm512_set1_epi32(begin))));
    return __builtin_popcount(filled);
  }
  static int ends_of_block(const std::int64_t *row_ptr, std::int64_t begin, int *end)
  {
    const int low = ends_of_8_rows(row_ptr, begin, end);
    return low + ends_of_8_rows(row_ptr + 8, begin, end + low);
  }

private:
  static Vec gather(const double *x, const std::int32_t *col, __mmask8 m)
  {
    return _mm512_mask_i32gather_pd(_mm512_setzero_pd(), m, _mm256_maskz_loadu_epi32(m, col), x, 8);
  }
  static Vec gather(const double *x, const std::int64_t *col, __mmask8 m)
  {
    return _mm512_mask_i64gather_pd(_mm512_setzero_pd(), m, _mm512_maskz_loadu_epi64(m, col), x, 8);
  }

  static __mmask8 first(int n) { return static_cast<__mmask8>(_bzhi_u32(0xff, static_cast<unsigned>(n))); } // 0 <= n < 256
  static __m256i  load8(const int *p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p)); }

  /// Eight segments that lie within 16 products: lane i walks through segment i, and all of them are in two registers.
  [[gnu::always_inline]] static Vec sums_of_few(const double *product, const int *end)
  {
    const Vec     low = _mm512_loadu_pd(product), high = _mm512_loadu_pd(product + width);
    const __m256i start = load8(end - 1), length = _mm256_sub_epi32(load8(end), start);
    __m512i       at  = _mm512_cvtepi32_epi64(_mm256_sub_epi32(start, _mm256_set1_epi32(end[-1])));
    __m256i       k   = _mm256_setzero_si256();
    Vec           sum = _mm512_setzero_pd();
    for (;;) {
      const __mmask8 more = _mm256_cmpgt_epi32_mask(length, k);
      if (!more) return sum;
      sum = _mm512_mask_add_pd(sum, more, sum, _mm512_permutex2var_pd(low, at, high));
      at  = _mm512_add_epi64(at, _mm512_set1_epi64(1));
      k   = _mm256_add_epi32(k, _mm256_set1_epi32(1));
    }
  }

  /// Segments of at most eight products.
  [[gnu::always_inline]] static Vec sums_of_first(const double *product, int mask, const int *end)
  {
    Vec v[width];
#pragma GCC unroll 8
    for (int i = 0; i < width; ++i) v[i] = _mm512_maskz_loadu_pd(first(end[i] - end[i - 1]), product + (end[i - 1] & mask));
    return sums(v);
  }

  /// Longer ones, eight products of each at a time: one branch that can be predicted wrongly for all segments together.
  /// Masks by comparison are faster here than by shifts (1.9 instead of 2.4 ns a row of 5 to 21 products).
  [[gnu::noinline]] static Vec sums_of_longer(const double *product, int mask, const int *end)
  {
    __m512i lane = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    Vec     v[width];
#pragma GCC unroll 8
    for (int i = 0; i < width; ++i) v[i] = _mm512_maskz_loadu_pd(first(end[i] - end[i - 1]), product + (end[i - 1] & mask));
    for (int done = width; any_longer(end, done); done += width) {
      lane = _mm512_add_epi64(lane, _mm512_set1_epi64(width));
#pragma GCC unroll 8
      for (int i = 0; i < width; ++i) {
        const __mmask8 more = _mm512_cmpgt_epi64_mask(_mm512_set1_epi64(end[i] - end[i - 1]), lane);
        v[i]                = _mm512_mask_add_pd(v[i], more, v[i], _mm512_loadu_pd(product + (end[i - 1] & mask) + done));
      }
    }
    return sums(v);
  }

  /// Lane i of the result is the sum of the lanes of v[i].
  [[gnu::always_inline]] static Vec sums(const Vec (&v)[width])
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

  static int ends_of_8_rows(const std::int64_t *row_ptr, std::int64_t begin, int *end)
  {
    const __m512i  start = _mm512_loadu_si512(row_ptr), stop = _mm512_loadu_si512(row_ptr + 1);
    const __mmask8 filled = _mm512_cmpneq_epi64_mask(start, stop);
    const __m256i  offset = _mm512_cvtepi64_epi32(_mm512_sub_epi64(stop, _mm512_set1_epi64(begin)));
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(end), _mm256_maskz_compress_epi32(filled, offset));
    return __builtin_popcount(filled);
  }
};

} // namespace petscspmv::kernels
