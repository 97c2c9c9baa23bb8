#pragma once

/// \file group_portable.hpp
/// Eight rows side by side, one to a lane: plain loops for any processor and any scalar.

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include "kernels/coding/values.hpp"
#include "kernels/lanes/group.hpp"
#include "kernels/lanes/portable.hpp"
#include "kernels/lanes/scalar.hpp"

namespace petscspmv::kernels {

/// Sixteen bytes: two doubles, or a complex number, which most processors have registers for. Against arrays of eight
/// scalars, AMD Zen 5: products of ccoo with complex numbers 1.25 times as fast, with real ones 1.03 times; a third
/// less code to compile.
using Pair [[gnu::vector_size(16)]] = double;

/// What a type of groups offers to the kernels, in its simplest form.
template <class T> struct PortableGroup {
  using Scalar                    = T;
  using RowLanes                  = PortableLanes<T>; ///< lanes that suit one row
  static constexpr int pairs      = group_rows * sizeof(T) / sizeof(Pair);
  static constexpr int pair_lanes = group_rows / pairs;
  struct Vec {
    Pair pair[pairs];
  };
  using Lengths = const std::uint16_t *;

  static constexpr int side_by_side     = 1; ///< groups of equal rows that are summed at a time
  static constexpr int stream_alignment = alignof(T);
  /// Lines of triples that are alike (strip_host.hpp) from which on window() is faster than loads; 0: there is no
  /// window().
  static constexpr int least_lines = 0;

  [[gnu::always_inline]] static Vec zero() { return set(T(0)); }
  [[gnu::always_inline]] static Vec set(T value)
  {
    return each([&](int) { return value; });
  }
  [[gnu::always_inline]] static Vec load(const T *p)
  {
    return each_pair([&](int i) { return load_pair(p + i * pair_lanes); });
  }
  /// Other lanes are zero, and their memory is not touched.
  [[gnu::always_inline]] static Vec load(const T *p, LaneMask mask)
  {
    return each([&](int l) { return mask >> l & 1 ? p[l] : T(0); });
  }
  [[gnu::always_inline]] static void store(T *p, Vec v) { std::memcpy(static_cast<void *>(p), &v, sizeof v); }
  [[gnu::always_inline]] static void store(T *p, Vec v, LaneMask mask)
  {
    T all[group_rows];
    store(all, v);
    for (int l = 0; l < group_rows; ++l)
      if (mask >> l & 1) p[l] = all[l];
  }
  /// Past the caches, where that can be had; p is a multiple of `stream_alignment`.
  [[gnu::always_inline]] static void stream(T *p, Vec v) { store(p, v); }
  /// To be called before another thread may read what was streamed.
  [[gnu::always_inline]] static void finish_streams() { }
  [[gnu::always_inline]] static Vec  add(Vec a, Vec b)
  {
    return each_pair([&](int i) { return a.pair[i] + b.pair[i]; });
  }
  /// a b + c
  [[gnu::always_inline]] static Vec mul_add(Vec a, Vec b, Vec c)
  {
    return each_pair([&](int i) { return c.pair[i] + product(a.pair[i], b.pair[i]); });
  }
  /// The same; other lanes keep c, which is not -0, whatever a and b hold, and raise no floating-point exception: they
  /// add the product of two zeros.
  [[gnu::always_inline]] static Vec mul_add(Vec a, Vec b, Vec c, LaneMask mask)
  {
    const auto masked = [mask](const Vec &v) {
      return each_pair([&](int i) { return std::bit_cast<Pair>(std::bit_cast<Bits>(v.pair[i]) & lanes(mask, i)); });
    };
    return mul_add(masked(a), masked(b), c);
  }

  /// x[col[l]].
  template <class Column> [[gnu::always_inline]] static Vec gather(const T *x, const Column *col)
  {
    return each([&](int l) { return x[col[l]]; });
  }

  /// Values as values() and values_at() want them: to be called once for many.
  template <Coding c> [[gnu::always_inline]] static CodedValues<c, T> prepared(const CodedValues<c, T> &v) { return v; }
  /// Values i .. i + 7.
  template <Coding c> [[gnu::always_inline]] static Vec values(const CodedValues<c, T> &v, std::int64_t i)
  {
    if constexpr (c == plain_coding) return load(reinterpret_cast<const T *>(v.bytes) + i);
    return each([&](int l) { return v[i + l]; });
  }
  /// Values i, i + 1, ... in the lanes of `mask`; the others hold anything.
  template <Coding c> [[gnu::always_inline]] static Vec values_at(const CodedValues<c, T> &v, std::int64_t i, LaneMask mask)
  {
    return each([&](int l) { return mask >> l & 1 ? v[i++] : T(0); });
  }

  /// How long the eight rows of a group are.
  [[gnu::always_inline]] static Lengths lengths(const std::uint16_t *p) { return p; }
  /// The lanes whose rows are longer than k.
  [[gnu::always_inline]] static LaneMask longer(Lengths lengths, int k)
  {
    unsigned mask = 0;
    for (int l = 0; l < group_rows; ++l) mask |= static_cast<unsigned>(lengths[l] > k) << l;
    return static_cast<LaneMask>(mask);
  }

  /// The sum of the lanes, in pairs.
  [[gnu::always_inline]] static T sum(Vec v)
  {
    T a[group_rows];
    store(a, v);
    return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
  }

private:
  using Bits [[gnu::vector_size(16)]] = std::int64_t;
  static constexpr Bits bits_of[]     = {{0, 0}, {-1, 0}, {0, -1}, {-1, -1}};

  [[gnu::always_inline]] static Pair load_pair(const T *p)
  {
    Pair pair;
    std::memcpy(&pair, p, sizeof pair);
    return pair;
  }
  [[gnu::always_inline]] static Pair product(Pair a, Pair b)
  {
    if constexpr (pair_lanes == 2) return a * b;
    const Pair real = Pair{a[0], a[0]} * b, imag = Pair{a[1], a[1]} * Pair{b[1], b[0]};
    return real + std::bit_cast<Pair>(std::bit_cast<Bits>(imag) ^ Bits{std::numeric_limits<std::int64_t>::min(), 0});
  }
  /// Ones in the lanes of pair i that are in the mask.
  [[gnu::always_inline]] static Bits lanes(LaneMask mask, int i)
  {
    if constexpr (pair_lanes == 2) return bits_of[mask >> 2 * i & 3];
    return bits_of[mask >> i & 1 ? 3 : 0];
  }
  template <class F> [[gnu::always_inline]] static Vec each_pair(const F &f)
  {
    Vec v;
#pragma GCC unroll 8
    for (int i = 0; i < pairs; ++i) v.pair[i] = f(i);
    return v;
  }
  template <class F> [[gnu::always_inline]] static Vec each(const F &f)
  {
    return each_pair([&](int i) {
      if constexpr (pair_lanes == 2) {
        const T first = f(2 * i), second = f(2 * i + 1);
        return Pair{first, second};
      } else {
        const T value = f(i);
        return Pair{value.real(), value.imag()};
      }
    });
  }
};

} // namespace petscspmv::kernels
