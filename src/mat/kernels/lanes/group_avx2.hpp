#pragma once

/// \file group_avx2.hpp
/// Eight rows side by side in two registers of AVX2. To be included only where that is compiled for.

#include <bit>
#include <cstdint>
#include <immintrin.h>

#include "kernels/lanes/avx2.hpp"
#include "kernels/lanes/group_portable.hpp"

namespace petscspmv::kernels {

/// How many lanes of a mask come before lane l: where the lane's value is among those of the mask, one after the other.
constexpr unsigned rank_in(unsigned mask, unsigned l)
{
  return static_cast<unsigned>(std::popcount(mask & ((1U << l) - 1)));
}

/// Values in a table of 16, which registers hold as halves of doubles: ten instructions look up eight of them. Gather
/// tiles of 27-point 40^3 took 1.00 ns an entry with values that came from memory one by one, where values as they are
/// took 0.42; by registers 0.34, and 0.31 in that run (AMD Zen 4, AVX2).
struct TableOf16 : ValuesOf16 {
  __m256 low[2], high[2]; ///< the lower and the upper halves of entries 0 to 7, and of 8 to 15

  [[gnu::always_inline]] explicit TableOf16(const ValuesOf16 &values)
    : ValuesOf16(values), low{halves<0x88>(table), halves<0x88>(table + 8)}, high{halves<0xdd>(table), halves<0xdd>(table + 8)}
  {
  }

private:
  template <int which> [[gnu::always_inline]] static __m256 halves(const double *p)
  {
    const __m256 mixed = _mm256_shuffle_ps(_mm256_castpd_ps(_mm256_loadu_pd(p)), _mm256_castpd_ps(_mm256_loadu_pd(p + 4)), which);
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(mixed), 0xd8)); // of entries 0, 1, 4, 5, 2, 3, 6, 7 before
  }
};

/// See PortableGroup for what the operations are.
struct Avx2Group {
  using Scalar   = double;
  using RowLanes = Avx2Lanes;
  struct Vec {
    __m256d low, high;
  };
  using Lengths = __m128i;

  static constexpr int stream_alignment = 16; // what arrays of PETSc have
  /// AMD Zen 3, ms without triples and with them: 27-point 56^3 0.58, 0.45, 96^3 2.45, 1.9, 128^3 5.7, 4.7; 9-point
  /// 1000^2 (two lines) 1.2, 2.2.
  static constexpr int least_lines  = 3;
  static constexpr int side_by_side = 4; // sixteen registers: a sum each in two of them, and what is read

  [[gnu::always_inline]] static Vec zero() { return {_mm256_setzero_pd(), _mm256_setzero_pd()}; }
  [[gnu::always_inline]] static Vec set(double value) { return {_mm256_set1_pd(value), _mm256_set1_pd(value)}; }
  [[gnu::always_inline]] static Vec load(const double *p) { return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
  [[gnu::always_inline]] static Vec load(const double *p, LaneMask mask)
  {
    return {_mm256_maskload_pd(p, lanes(mask)), _mm256_maskload_pd(p + 4, lanes(mask >> 4))};
  }
  [[gnu::always_inline]] static void store(double *p, Vec v)
  {
    _mm256_storeu_pd(p, v.low);
    _mm256_storeu_pd(p + 4, v.high);
  }
  [[gnu::always_inline]] static void store(double *p, Vec v, LaneMask mask)
  {
    _mm256_maskstore_pd(p, lanes(mask), v.low);
    _mm256_maskstore_pd(p + 4, lanes(mask >> 4), v.high);
  }
  [[gnu::always_inline]] static void stream4(double *p, __m256d v)
  {
    _mm_stream_pd(p, _mm256_castpd256_pd128(v));
    _mm_stream_pd(p + 2, _mm256_extractf128_pd(v, 1));
  }
  [[gnu::always_inline]] static void stream(double *p, Vec v)
  {
    stream4(p, v.low);
    stream4(p + 4, v.high);
  }
  [[gnu::always_inline]] static void finish_streams() { _mm_sfence(); }
  [[gnu::always_inline]] static Vec  add(Vec a, Vec b) { return {_mm256_add_pd(a.low, b.low), _mm256_add_pd(a.high, b.high)}; }
  [[gnu::always_inline]] static Vec  mul_add(Vec a, Vec b, Vec c)
  {
    return {_mm256_fmadd_pd(a.low, b.low, c.low), _mm256_fmadd_pd(a.high, b.high, c.high)};
  }
  [[gnu::always_inline]] static Vec mul_add(Vec a, Vec b, Vec c, LaneMask mask)
  {
    const __m256d low = _mm256_castsi256_pd(lanes(mask)), high = _mm256_castsi256_pd(lanes(mask >> 4));
    return mul_add({_mm256_and_pd(a.low, low), _mm256_and_pd(a.high, high)}, {_mm256_and_pd(b.low, low), _mm256_and_pd(b.high, high)}, c);
  }

  /// Lanes `from` .. from + 7 of the sixteen lanes of two neighbouring groups.
  template <int from> [[gnu::always_inline]] static Vec window(Vec low, Vec high) requires(from == 1 || from == 7)
  {
    if constexpr (from == 1) return {one_on(low.low, low.high), one_on(low.high, high.low)};
    else return {one_back(low.high, high.low), one_back(high.low, high.high)};
  }

  template <class Column> [[gnu::always_inline]] static Vec gather(const double *x, const Column *col)
  {
    return {gather4(x, col), gather4(x, col + 4)};
  }

  template <Coding c> [[gnu::always_inline]] static CodedValues<c, double> prepared(const CodedValues<c, double> &v) { return v; }
  [[gnu::always_inline]] static TableOf16                                  prepared(const ValuesOf16 &v) { return TableOf16(v); }

  template <Coding c> [[gnu::always_inline]] static Vec values(const CodedValues<c, double> &v, std::int64_t i)
  {
    return {v.template lanes<Four>(i), v.template lanes<Four>(i + 4)};
  }
  [[gnu::always_inline]] static Vec values(const TableOf16 &v, std::int64_t i) { return looked_up(v, i, nibbles.shift[all_lanes]); }
  /// By permutation. Lane by lane into an array that is then read, for which the processor waits, ccoo took 11.0 ms on
  /// 27-point 40^3 with two unknowns a node and random values instead of 3.7, 143 us instead of 47 on teko_lsc_F_2 (AMD
  /// Zen 3).
  template <Coding c> [[gnu::always_inline]] static Vec values_at(const CodedValues<c, double> &v, std::int64_t i, LaneMask mask)
  {
    const unsigned low = mask & 15, high = mask >> 4;
    return {spread(v.template lanes<Four>(i), low), spread(v.template lanes<Four>(i + __builtin_popcount(low)), high)};
  }
  [[gnu::always_inline]] static Vec values_at(const TableOf16 &v, std::int64_t i, LaneMask mask)
  {
    return looked_up(v, i, nibbles.shift[mask]);
  }

  [[gnu::always_inline]] static Lengths  lengths(const std::uint16_t *p) { return _mm_loadu_si128(reinterpret_cast<const __m128i *>(p)); }
  [[gnu::always_inline]] static LaneMask longer(Lengths lengths, int k)
  {
    // Lengths are below 2^15, so that signed numbers do.
    const __m128i more = _mm_cmpgt_epi16(lengths, _mm_set1_epi16(static_cast<short>(k)));
    return static_cast<LaneMask>(_mm_movemask_epi8(_mm_packs_epi16(more, more)));
  }

  [[gnu::always_inline]] static double sum(Vec v)
  {
    double a[group_rows];
    store(a, v);
    return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
  }

private:
  /// The middle four of eight lanes.
  [[gnu::always_inline]] static __m256d middle(__m256d low, __m256d high) { return _mm256_permute2f128_pd(low, high, 0x21); }
  /// Lanes 1 to 4 and lanes 3 to 6 of eight.
  [[gnu::always_inline]] static __m256d one_on(__m256d low, __m256d high) { return _mm256_shuffle_pd(low, middle(low, high), 0b0101); }
  [[gnu::always_inline]] static __m256d one_back(__m256d low, __m256d high) { return _mm256_shuffle_pd(middle(low, high), high, 0b0101); }

  /// Half of a group.
  struct Four {
    [[gnu::always_inline]] static __m256d                         set(double value) { return _mm256_set1_pd(value); }
    [[gnu::always_inline]] static __m256d                         load(const double *p) { return _mm256_loadu_pd(p); }
    [[gnu::always_inline]] static __m256d                         load(const float *p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
    template <class Column> [[gnu::always_inline]] static __m256d gather(const double *x, const Column *col) { return gather4(x, col); }
  };

  /// By how many bits a word of eight places in a table of 16 is shifted for each lane of a mask, if the first places
  /// go to them in order; in the order of lanes 0, 1, 4, 5, 2, 3, 6, 7, which halves of doubles are in before unpacking
  /// puts them together.
  struct Nibbles {
    std::uint8_t shift[256][group_rows] = {};
    constexpr Nibbles()
    {
      constexpr unsigned lane[group_rows] = {0, 1, 4, 5, 2, 3, 6, 7};
      for (unsigned mask = 0; mask < 256; ++mask)
        for (unsigned l = 0; l < group_rows; ++l) shift[mask][l] = static_cast<std::uint8_t>(4 * rank_in(mask, lane[l]));
    }
  };
  static const Nibbles nibbles;

  [[gnu::always_inline]] static Vec looked_up(const TableOf16 &v, std::int64_t i, const std::uint8_t *shift)
  {
    const auto    word  = static_cast<std::uint32_t>(read_as<std::uint64_t>(v.bytes + (i >> 1)) >> (i & 1) * 4);
    const __m256i by    = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i *>(shift)));
    const __m256i place = _mm256_srlv_epi32(_mm256_set1_epi32(static_cast<int>(word)), by);
    const __m256  upper = _mm256_castsi256_ps(_mm256_slli_epi32(place, 28)); // its sign: entries 8 to 15
    const auto    half  = [&](const __m256 *table) __attribute__((always_inline))
    {
      return _mm256_blendv_ps(_mm256_permutevar8x32_ps(table[0], place), _mm256_permutevar8x32_ps(table[1], place), upper);
    };
    const __m256 low = half(v.low), high = half(v.high);
    return {_mm256_castps_pd(_mm256_unpacklo_ps(low, high)), _mm256_castps_pd(_mm256_unpackhi_ps(low, high))};
  }

  /// Where the lanes of four that bits 0 to 3 of a mask stand for get their halves from, if the first lanes go to them
  /// in order; what others get does not matter.
  struct Places {
    alignas(32) std::int32_t half[16][8] = {};
    constexpr Places()
    {
      for (unsigned mask = 0; mask < 16; ++mask)
        for (unsigned h = 0; h < 8; ++h) half[mask][h] = static_cast<std::int32_t>(2 * rank_in(mask, h / 2) + h % 2);
    }
  };
  static const Places places;

  [[gnu::always_inline]] static __m256d spread(__m256d v, unsigned mask)
  {
    const __m256i from = _mm256_load_si256(reinterpret_cast<const __m256i *>(places.half[mask]));
    return _mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(v), from));
  }

  /// Bits 0 to 3 as lanes.
  [[gnu::always_inline]] static __m256i lanes(unsigned mask)
  {
    const __m256i bit = _mm256_setr_epi64x(1, 2, 4, 8);
    return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(mask), bit), bit);
  }
};

alignas(64) inline constexpr Avx2Group::Places Avx2Group::places;
alignas(64) inline constexpr Avx2Group::Nibbles Avx2Group::nibbles;

} // namespace petscspmv::kernels
