#pragma once

/// \file product.cuh
/// What a kernel for y = alpha op(A) x + beta y is given.

#include "kernels/device/scalar.cuh"

namespace petscspmv::kernels {

/// `Layout` are the arrays of A as kernels see them, S is the device's scalar.
template <class Layout, class S> struct DeviceProduct {
  Layout             a;
  const S           *x;
  DeviceRowUpdate<S> update;
  bool               conjugate;

  template <class Scalar>
  DeviceProduct(const Layout &a_, bool conjugate_, Scalar alpha, const Scalar *x_, Scalar beta, Scalar *y)
    : a(a_), x(reinterpret_cast<const S *>(x_)), update(S(alpha), S(beta), reinterpret_cast<S *>(y)), conjugate(conjugate_)
  {
  }
};

} // namespace petscspmv::kernels
