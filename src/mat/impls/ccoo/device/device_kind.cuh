#pragma once

/// \file device_kind.cuh
/// What a kind of pieces does on a device.

#include "impls/ccoo/device/layout.cuh"
#include "kernels/device/beside.cuh"
#include "kernels/device/memory/rows.cuh"

namespace petscspmv::ccoo::device {

using kernels::RowsView;
using kernels::same_bits;
using kernels::warp_number;

/// The rows of a matrix, from which its pieces take columns and values.
template <class S, class Index> struct Filling {
  const Arrays<S>      &arrays;
  const image::Summary &summary;
  Layout<S>             layout;
  RowsView<S, Index>    rows;
  unsigned             *misfits; ///< not zero: a value does not fit the way in which it is kept

  template <class T> static unsigned count(const kernels::DeviceArray<T> &array) { return static_cast<unsigned>(array.size()); }
};

/// A kind that does nothing here: what DeviceKind<Kind, S> is derived from, and has in other ways.
template <class S> struct IdleKind {
  /// Kernels get the shared memory that they ask for. Throws FormatError.
  template <class Image> void prepare(const Image &) { }
  /// Kernels of the kind's own.
  void        launch(const Product<S> &, kernels::LaunchesBeside &) const { }
  static bool wants_row_ptr(const Arrays<S> &) { return false; } ///< when values are renewed
  /// Whether new values may not fit the way in which values are kept: it is not as they are.
  template <class Image> static bool checks(const Image &) { return false; }
  /// Fills what the image has left.
  template <class Index, class Image> static void fill(const Filling<S, Index> &, const Image &) { }
  /// Takes new values.
  template <class Index> static void renew(const Filling<S, Index> &) { }
};

/// Specialised for each kind in <kind>/<kind>_kernel.cuh or the like.
template <class Kind, class S> struct DeviceKind;

} // namespace petscspmv::ccoo::device
