#pragma once

/// \file lanes_portable.hpp
/// One lane: the kernels as plain loops, for any processor and any scalar.

#include "kernels/scalar.hpp"

namespace petscspmv::kernels {

/// The interface of lanes, in its simplest form. `Vec` holds `width` scalars; "first" operations touch only the first n
/// lanes and memory, for any n >= 0; the lanes left out are zero, whatever the memory there holds.
template <class T> struct PortableLanes {
  using Scalar               = T;
  using Vec                  = T;
  static constexpr int width = 1;

  static Vec  zero() { return T(0); }
  static Vec  load(const T *p) { return *p; }
  static Vec  load_first(const T *p, int n) { return n > 0 ? *p : T(0); }
  static void store(T *p, Vec v) { *p = v; }
  static Vec  add(Vec a, Vec b) { return a + b; }

  template <class Index> static Vec gather(const T *x, const Index *col) { return x[*col]; }
  static Vec                        mul(Vec a, Vec b) { return multiply(a, b); }
  static Vec                        mul_add(Vec a, Vec b, Vec c) { return c + multiply(a, b); }

  /// The sum of the lanes.
  static T sum(Vec v) { return v; }

  /// Lane i of the result is the sum of the lanes of v[i].
  static Vec sums(const Vec (&v)[width]) { return v[0]; }
};

} // namespace petscspmv::kernels
