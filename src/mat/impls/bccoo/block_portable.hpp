#pragma once

/// \file block_portable.hpp
/// Short vectors, as long as the columns of small blocks: plain loops for any processor and any scalar.

#include "kernels/lanes/group_portable.hpp"
#include "kernels/lanes/scalar.hpp"
#include "kernels/lanes/unrolled.hpp"

namespace petscspmv::bccoo {

/// The length of a short vector as a type: 1, 2, 4 or 8.
template <int n> struct Width {
};

/// What a type of short vectors offers to the kernels, in its simplest form.
template <class T> struct PortableBlockLanes {
  using Scalar = T;
  using Group  = kernels::PortableGroup<T>; ///< decodes values

  /// There are kernels that ask for values and x before they need them. Not of complex numbers, which wait for
  /// instructions: 27-point with two unknowns a node, 1.23 ns an entry with and without, a mesh of three 1.53 and 1.57.
  /// Of real ones the same meshes take 0.46 and 0.50, 0.55 and 0.57.
  static constexpr bool asks_ahead = std::is_floating_point_v<T>;

  template <int n> struct Vec {
    T lane[n];
  };

  /// Sums of n lanes that go side by side: as many as there are registers for, besides what is read.
  template <int n> static constexpr int chains = n <= 2 ? 4 : 2;

  template <int n> [[gnu::always_inline]] static Vec<n> zero(Width<n>) { return {}; }
  template <int n> [[gnu::always_inline]] static Vec<n> load(const T *p, Width<n>)
  {
    return each<n>([p](int l) { return p[l]; });
  }
  template <int n> [[gnu::always_inline]] static Vec<n> set(T value, Width<n>)
  {
    return each<n>([value](int) { return value; });
  }
  /// x[0], x[1], x[0], x[1]
  [[gnu::always_inline]] static Vec<4> twice(const T *x) { return {x[0], x[1], x[0], x[1]}; }
  /// The first `count` lanes; the others are zero, and their memory is not touched.
  template <int count, int n> [[gnu::always_inline]] static Vec<n> load_first(const T *p, Width<n>)
  {
    return each<n>([p](int l) { return l < count ? p[l] : T(0); });
  }

  template <int n> [[gnu::always_inline]] static void store(T *p, const Vec<n> &v)
  {
    for (int l = 0; l < n; ++l) p[l] = v.lane[l];
  }
  template <int n> [[gnu::always_inline]] static Vec<n> add(const Vec<n> &a, const Vec<n> &b)
  {
    return each<n>([&](int l) { return a.lane[l] + b.lane[l]; });
  }
  /// a b + c
  template <int n> [[gnu::always_inline]] static Vec<n> mul_add(const Vec<n> &a, const Vec<n> &b, const Vec<n> &c)
  {
    return each<n>([&](int l) { return c.lane[l] + kernels::multiply(a.lane[l], b.lane[l]); });
  }

  /// sum[i] is the sum of the first `count` lanes of vector(i), for the constants i < `vectors`. Up to a multiple of
  /// four may be written.
  template <int count, int vectors, class Vector> [[gnu::always_inline]] static void store_sums(T *sum, const Vector &vector)
  {
    kernels::unrolled<vectors>([&](auto i) __attribute__((always_inline)) {
      const auto v = vector(i);
      T          s = v.lane[0];
      for (int l = 1; l < count; ++l) s += v.lane[l];
      sum[i] = s;
    });
  }

private:
  template <int n, class F> [[gnu::always_inline]] static Vec<n> each(const F &f)
  {
    Vec<n> v;
#pragma GCC unroll 8
    for (int l = 0; l < n; ++l) v.lane[l] = f(l);
    return v;
  }
};

} // namespace petscspmv::bccoo
