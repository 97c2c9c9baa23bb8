#pragma once

/// \file group_avx512.hpp
/// Eight rows side by side in one register of AVX-512. To be included only where that is compiled for.

#include <cstdint>
#include <immintrin.h>

#include "kernels/lanes/avx512.hpp"
#include "kernels/lanes/group_avx2.hpp"

namespace petscspmv::kernels {

/// Lane l of a masked group gets the value of its rank among the lanes of the mask: vpermpd with a table of 2 KB,
/// because vexpandpd is slower on some processors (0.23 against 0.28 ns, AMD Zen 5).
struct LaneRanks {
  std::uint8_t rank[256][group_rows] = {};
  constexpr LaneRanks()
  {
    for (unsigned mask = 0; mask < 256; ++mask)
      for (unsigned l = 0; l < group_rows; ++l) rank[mask][l] = static_cast<std::uint8_t>(rank_in(mask, l));
  }
};
alignas(64) inline constexpr LaneRanks lane_ranks;

/// Values in a table of 16, which two registers hold.
struct WideTableOf16 : ValuesOf16 {
  __m512d low, high; ///< entries 0 to 7 and 8 to 15

  [[gnu::always_inline]] explicit WideTableOf16(const ValuesOf16 &values)
    : ValuesOf16(values), low(_mm512_loadu_pd(table)), high(_mm512_loadu_pd(table + 8))
  {
  }
};

/// See PortableGroup for what the operations are. `gathers`: x is fetched by the gather instruction, and not by eight
/// loads; which is faster depends on the make of the processor.
template <bool gathers> struct Avx512Group {
  using Scalar   = double;
  using RowLanes = Avx512Lanes;
  using Vec      = __m512d;
  using Lengths  = __m128i;

  static constexpr int stream_alignment = Avx2Group::stream_alignment;
  static constexpr int least_lines      = 1;
  static constexpr int side_by_side     = 8; // thirty-two registers: a sum each, and what is read

  [[gnu::always_inline]] static Vec  zero() { return _mm512_setzero_pd(); }
  [[gnu::always_inline]] static Vec  set(double value) { return _mm512_set1_pd(value); }
  [[gnu::always_inline]] static Vec  load(const double *p) { return _mm512_loadu_pd(p); }
  [[gnu::always_inline]] static Vec  load(const float *p) { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
  [[gnu::always_inline]] static Vec  load(const double *p, LaneMask mask) { return _mm512_maskz_loadu_pd(mask, p); }
  [[gnu::always_inline]] static void store(double *p, Vec v) { _mm512_storeu_pd(p, v); }
  [[gnu::always_inline]] static void store(double *p, Vec v, LaneMask mask) { _mm512_mask_storeu_pd(p, mask, v); }
  [[gnu::always_inline]] static void stream(double *p, Vec v)
  {
    Avx2Group::stream4(p, _mm512_castpd512_pd256(v));
    Avx2Group::stream4(p + 4, _mm512_extractf64x4_pd(v, 1));
  }
  [[gnu::always_inline]] static void finish_streams() { Avx2Group::finish_streams(); }
  [[gnu::always_inline]] static Vec  add(Vec a, Vec b) { return _mm512_add_pd(a, b); }
  [[gnu::always_inline]] static Vec  mul_add(Vec a, Vec b, Vec c) { return _mm512_fmadd_pd(a, b, c); }
  [[gnu::always_inline]] static Vec  mul_add(Vec a, Vec b, Vec c, LaneMask mask) { return _mm512_mask3_fmadd_pd(a, b, c, mask); }

  /// Lanes `from` .. from + 7 of the sixteen lanes of two neighbouring groups.
  template <int from> [[gnu::always_inline]] static Vec window(Vec low, Vec high)
  {
    return _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(high), _mm512_castpd_si512(low), from));
  }

  template <class Column> [[gnu::always_inline]] static Vec gather(const double *x, const Column *col)
  {
    if constexpr (gathers) return _mm512_i32gather_pd(columns(col), x, 8);
    else return _mm512_insertf64x4(_mm512_castpd256_pd512(gather4(x, col)), gather4(x, col + 4), 1);
  }

  template <Coding c> [[gnu::always_inline]] static CodedValues<c, double> prepared(const CodedValues<c, double> &v) { return v; }
  [[gnu::always_inline]] static WideTableOf16                              prepared(const ValuesOf16 &v) { return WideTableOf16(v); }

  template <Coding c> [[gnu::always_inline]] static Vec values(const CodedValues<c, double> &v, std::int64_t i)
  {
    return v.template lanes<Avx512Group>(i);
  }
  [[gnu::always_inline]] static Vec values(const WideTableOf16 &v, std::int64_t i)
  {
    const std::uint64_t word = read_as<std::uint64_t>(v.bytes + (i >> 1)) >> (i & 1) * 4;
    const __m256i       four = _mm256_srlv_epi32(_mm256_set1_epi32(static_cast<int>(word)), _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28));
    const __m512i       place = _mm512_cvtepu32_epi64(_mm256_and_si256(four, _mm256_set1_epi32(15)));
    return _mm512_permutex2var_pd(v.low, place, v.high);
  }
  template <class Values> [[gnu::always_inline]] static Vec values_at(const Values &v, std::int64_t i, LaneMask mask)
  {
    const Vec     packed = values(v, i);
    const __m128i ranks  = _mm_loadl_epi64(reinterpret_cast<const __m128i *>(lane_ranks.rank[mask]));
    return _mm512_permutexvar_pd(_mm512_cvtepu8_epi64(ranks), packed);
  }

  [[gnu::always_inline]] static Lengths  lengths(const std::uint16_t *p) { return _mm_loadu_si128(reinterpret_cast<const __m128i *>(p)); }
  [[gnu::always_inline]] static LaneMask longer(Lengths lengths, int k)
  {
    return static_cast<LaneMask>(_mm_cmpgt_epu16_mask(lengths, _mm_set1_epi16(static_cast<short>(k))));
  }

  [[gnu::always_inline]] static double sum(Vec v)
  {
    double a[group_rows];
    store(a, v);
    return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
  }

private:
  static __m256i columns(const std::uint8_t *col) { return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(col))); }
  static __m256i columns(const std::uint16_t *col)
  {
    return _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i *>(col)));
  }
  static __m256i columns(const std::int32_t *col) { return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(col)); }
};

} // namespace petscspmv::kernels
