#pragma once

/// \file device_kind.cuh
/// What a kind of pieces does on a device.

#include "impls/ccoo/device/layout.cuh"
#include "kernels/device/launch.cuh"
#include "kernels/device/memory/rows.cuh"

namespace petscspmv::ccoo::device {

using kernels::RowsView;
using kernels::same_bits;
using kernels::warp_number;

/// Kernels that have nothing to do with each other, such as those of the parts of a product. The first one begins when
/// all that is in the stream before has ended; the others may begin when all blocks of the one before have, and none is
/// over before that one is. Each kernel has a BesideOthers.
class LaunchesBeside {
public:
  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), const kernels::LaunchShape &shape, const Arguments &...arguments)
  {
    if (first_) kernels::launch(kernel, shape, arguments...);
    else kernels::launch_with_last(kernel, shape, arguments...);
    first_ = false;
  }

private:
  bool first_ = true;
};

/// What a kernel of LaunchesBeside, whose grid has one dimension, has from its beginning to its end. Only its last
/// block waits for the kernel before: if all did, they would not make room for those that have not begun yet, and 212
/// blocks of one kernel kept 4924 of another one from going on for 6 us.
struct BesideOthers {
  __device__ BesideOthers() { cudaTriggerProgrammaticLaunchCompletion(); }
  __device__ ~BesideOthers()
  {
    if (blockIdx.x == gridDim.x - 1) cudaGridDependencySynchronize();
  }
  BesideOthers(const BesideOthers &)            = delete;
  BesideOthers &operator=(const BesideOthers &) = delete;
};

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
  void        launch(const Product<S> &, LaunchesBeside &) const { }
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
