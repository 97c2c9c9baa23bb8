#pragma once

/// \file device_kind.cuh
/// What a kind of pieces does on a device, and what its kernels are given: arrays of its own kind, and vectors.
///
/// DeviceKind<Kind, S> are all pieces of a kind. It is derived from PiecesOf<Kind, S>, and has in other ways, in
/// <kind>/<kind>_kernel.cuh or the like, those functions that do something for it. S is the device's scalar.

#include <cstddef>

#include "core/footprint.hpp"
#include "impls/ccoo/device/kind.hpp"
#include "kernels/device/launch.cuh"
#include "kernels/device/memory/array.cuh"
#include "kernels/device/scalar.cuh"

namespace petscspmv::ccoo::device {

using kernels::DeviceArray;
using kernels::DeviceComplex;
using kernels::warp_number;

/// How arrays are held on a device.
struct InDeviceMemory {
  template <class T> using Pieces = DeviceArray<T>;
  template <class T> using Vector = DeviceArray<T>;
  template <class T> using Room   = DeviceArray<T>;
};

/// What a kernel is given.
struct InKernel {
  template <class T> class Counted {
  public:
    constexpr          operator const T *() const { return first_; }
    constexpr unsigned size() const { return n_; }

    Counted &operator=(const DeviceArray<T> &a)
    {
      first_ = a.data();
      n_     = static_cast<unsigned>(a.size());
      return *this;
    }

  private:
    const T *first_ = nullptr;
    unsigned n_     = 0;
  };

  template <class T> using Pieces = Counted<T>;
  template <class T> using Vector = const T *;
  template <class T> using Room   = const T *;
};

/// The pieces of a kind as its kernels see them.
template <class Kind, class S> struct View : Kind::Shape, Kind::template Arrays<S, InKernel> {
};

/// What a kernel for y = alpha A x + beta y is given besides.
template <class S> struct Pass {
  const S                    *x;
  kernels::DeviceRowUpdate<S> update;
};

/// The rows of a matrix. Null where they were not wanted.
template <class S, class Index> struct RowsView {
  const Index *row_ptr, *col;
  const S     *val;
};

/// New values.
template <class S, class Index> struct Filling {
  RowsView<S, Index> rows;
  unsigned          *misfits; ///< not zero: a value does not fit the way in which it is kept. Null: all do
};

// Loads of 16 bytes at a time, the most that a lane can ask for.

/// What all lanes want, 16 bytes at a time.
template <class T> __device__ T load_16(const T *p)
{
  static_assert(sizeof(T) % 16 == 0 && alignof(T) == 16);
  union {
    int4 raw[sizeof(T) / 16];
    T    value;
  } u;
#pragma unroll
  for (int k = 0; k < int(sizeof(T) / 16); ++k) u.raw[k] = __ldg(reinterpret_cast<const int4 *>(p) + k);
  return u.value;
}

/// Sixteen bytes of a lane, read once.
__device__ inline uint4 load_piece(const std::byte *p)
{
  uint4 v;
  asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
  return v;
}

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

/// The arrays of a kind in the memory of a device, and functions that do nothing. `m` is an image.
template <class Kind, class S> class PiecesOf {
public:
  /// Kernels get the shared memory that they ask for. Throws FormatError.
  template <class Image> void prepare(const Image &) { }
  /// Kernels of the kind's own.
  void launch(const Pass<S> &, LaunchesBeside &) const { }
  bool wants_row_ptr() const { return false; } ///< when values are renewed
  /// Whether new values may not fit the way in which values are kept: it is not as they are.
  template <class Image> static bool checks(const Image &) { return false; }
  /// Fills what the image has left.
  template <class Image, class Index> void fill(const Image &, const Filling<S, Index> &) { }
  /// Takes new values.
  template <class Index> void renew(const Filling<S, Index> &) { }
  /// Calls visit(array, entries) for arrays that products write besides y, with the entries that they shall have.
  template <class Image, class Visit> void for_each_scratch(const Image &, const Visit &) { }
  bool                                     has_scratch() const { return false; }
  void                                     add_scratch_to(Footprint &) const { }

  const typename Kind::Counts &counts() const { return counts_; }
  const View<Kind, S>         &view() const { return view_; }

  /// Calls visit(array, entries) for each array, with the entries that it shall have.
  template <class Image, class Visit> void for_each_array(const Image &m, const Visit &visit)
  {
    Kind::for_each_array([&visit](const char *, const auto &from, auto &to) { visit(to, from.size()); }, m, arrays_);
  }
  /// When arrays have as many entries as those of the image: all but what that has left, brought by so many threads.
  template <class Image> void upload(const Image &m, int threads)
  {
    Kind::for_each_array(
      [threads](const char *, const auto &from, auto &to) {
        if constexpr (requires { from.is_left(); })
          if (from.is_left()) return;
        to.upload(as_on_device(from, to), threads);
      },
      m, arrays_);
    counts_                                    = m;
    static_cast<typename Kind::Shape &>(view_) = m;
    Kind::for_each_array([](const char *, const auto &from, auto &to) { point_to(from, to); }, arrays_, view_);
  }
  /// Takes over what the image has renewed where all values are with patterns.
  template <class Image> void renew_constants(const Image &m)
  {
    const auto take = [](const auto &from, auto &to) { to.upload(as_on_device(from, to)); };
    if constexpr (requires { Kind::for_each_constant(take, m, arrays_); }) Kind::for_each_constant(take, m, arrays_);
  }
  template <class Image> void download(Image &m) const
  {
    Kind::for_each_array([](const char *, auto &to, const auto &from) { download(to, from); }, m, arrays_);
    static_cast<typename Kind::Counts &>(m) = counts_;
    static_cast<typename Kind::Shape &>(m)  = view_;
  }

  void add_to(Footprint &f) const
  {
    Kind::for_each_array([&f](const char *name, const auto &array) { add_to(f, name, array.bytes()); }, arrays_);
  }

protected:
  static void add_to(Footprint &f, const char *name, std::size_t bytes)
  {
    if (bytes > 0) f.arrays.push_back({name, bytes, false});
  }
  template <class T> static unsigned count(const DeviceArray<T> &array) { return static_cast<unsigned>(array.size()); }

  typename Kind::template Arrays<S, InDeviceMemory> arrays_;

private:
  /// Complex numbers have another name there.
  template <class From, class T> static const T *as_on_device(const From &from, const DeviceArray<T> &)
  {
    return reinterpret_cast<const T *>(static_cast<const void *>(from.data()));
  }
  template <class To, class T> static void download(To &to, const DeviceArray<T> &from)
  {
    if (from.size() == 0) return;
    to = To(from.size());
    from.download(reinterpret_cast<T *>(static_cast<void *>(to.data())), from.size());
  }
  template <class T> static void point_to(const DeviceArray<T> &from, const T *&to) { to = from.data(); }
  template <class T> static void point_to(const DeviceArray<T> &from, InKernel::Counted<T> &to) { to = from; }

  typename Kind::Counts counts_;
  View<Kind, S>         view_;
};

template <class Kind, class S> class DeviceKind;

} // namespace petscspmv::ccoo::device
