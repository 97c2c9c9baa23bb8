#pragma once

/// \file layout.cuh
/// A matrix on a device as its kernels see it.

#include "impls/ccoo/device/image.hpp"
#include "kernels/device/memory/array.cuh"
#include "kernels/device/pieces.cuh"
#include "kernels/device/scalar.cuh"

namespace petscspmv::ccoo::device {

using kernels::DeviceComplex;
using kernels::load_16;
using kernels::load_piece;

struct OnDevice {
  template <class T> using Pieces = kernels::DeviceArray<T>;
  template <class T> using Vector = kernels::DeviceArray<T>;
  template <class T> using Room   = kernels::DeviceArray<T>;
};

/// The arrays of an image. S is the device's scalar.
template <class S> using Arrays = image::Kinds::Arrays<S, OnDevice>;

/// The parts of cut rows that a chunk has.
template <class S> struct Parts {
  S head, tail; ///< of the row that began before, of the one that goes on
};

/// The arrays of an image, and what a product writes besides y.
template <class S> struct Layout : image::Kinds::Shapes, image::Kinds::Arrays<S, image::InKernel> {
  Local     cols;
  S        *hot_x;   ///< [hot columns] x of these, side by side
  Parts<S> *part;    ///< [chunks]
  unsigned *arrived; ///< [cut rows] zero between products
};

/// What a kernel for y = alpha A x + beta y is given.
template <class S> struct Product {
  Layout<S>                   a;
  const S                    *x;
  kernels::DeviceRowUpdate<S> update;
};

} // namespace petscspmv::ccoo::device
