#pragma once

/// \file group_portable.hpp
/// Eight rows side by side, one to a lane: plain loops for any processor and any scalar.

#include <bit>
#include <cstdint>

#include "kernels/lanes_portable.hpp"
#include "kernels/scalar.hpp"
#include "kernels/value_coding.hpp"

namespace petscspmv::kernels {

/// Rows of a group: lanes of a vector of doubles in AVX-512.
inline constexpr int group_rows = 8;

/// Bit l stands for lane l.
using LaneMask                      = std::uint8_t;
inline constexpr LaneMask all_lanes = 0xff;

[[gnu::always_inline]] constexpr LaneMask first_lanes(int n)
{
  return static_cast<LaneMask>((1u << n) - 1);
}

/// What a type of groups offers to the kernels, in its simplest form.
template <class T> struct PortableGroup {
  using Scalar   = T;
  using RowLanes = PortableLanes<T>; ///< lanes that suit one row
  struct Vec {
    T lane[group_rows];
  };
  using Lengths = const std::uint16_t *;

  static constexpr int  side_by_side = 1;     ///< groups of equal rows that are summed at a time
  static constexpr bool shifts       = false; ///< there is window(), and it is faster than a load

  [[gnu::always_inline]] static Vec zero() { return set(T(0)); }
  [[gnu::always_inline]] static Vec set(T value)
  {
    return each([&](int) { return value; });
  }
  [[gnu::always_inline]] static Vec load(const T *p)
  {
    return each([&](int l) { return p[l]; });
  }
  /// Other lanes are zero, and their memory is not touched.
  [[gnu::always_inline]] static Vec load(const T *p, LaneMask mask)
  {
    return each([&](int l) { return mask >> l & 1 ? p[l] : T(0); });
  }
  [[gnu::always_inline]] static void store(T *p, Vec v)
  {
    for (int l = 0; l < group_rows; ++l) p[l] = v.lane[l];
  }
  [[gnu::always_inline]] static void store(T *p, Vec v, LaneMask mask)
  {
    for (int l = 0; l < group_rows; ++l)
      if (mask >> l & 1) p[l] = v.lane[l];
  }
  [[gnu::always_inline]] static Vec add(Vec a, Vec b)
  {
    return each([&](int l) { return a.lane[l] + b.lane[l]; });
  }
  /// a b + c
  [[gnu::always_inline]] static Vec mul_add(Vec a, Vec b, Vec c)
  {
    return each([&](int l) { return c.lane[l] + multiply(a.lane[l], b.lane[l]); });
  }
  /// The same; other lanes keep c whatever a and b hold.
  [[gnu::always_inline]] static Vec mul_add(Vec a, Vec b, Vec c, LaneMask mask)
  {
    return each([&](int l) { return mask >> l & 1 ? c.lane[l] + multiply(a.lane[l], b.lane[l]) : c.lane[l]; });
  }

  /// x[col[l]].
  template <class Column> [[gnu::always_inline]] static Vec gather(const T *x, const Column *col)
  {
    return each([&](int l) { return x[col[l]]; });
  }

  /// Values i .. i + 7.
  template <Coding c> [[gnu::always_inline]] static Vec values(const CodedValues<c, T> &v, std::int64_t i)
  {
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
    const T *a = v.lane;
    return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
  }

private:
  template <class F> [[gnu::always_inline]] static Vec each(const F &f)
  {
    Vec v;
    for (int l = 0; l < group_rows; ++l) v.lane[l] = f(l);
    return v;
  }
};

} // namespace petscspmv::kernels
