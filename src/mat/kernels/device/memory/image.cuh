#pragma once

/// \file image.cuh
/// The arrays of an image on a device.

#include <string>
#include <type_traits>
#include <vector>

#include "core/footprint.hpp"
#include "kernels/device/memory/array.cuh"
#include "kernels/host/room.hpp"

namespace petscspmv::kernels {

/// An array that shall have so many entries.
template <class T> struct Sized {
  Sized(DeviceArray<T> &a, std::size_t n) : array(a), size(n) { }

  DeviceArray<T> &array;
  std::size_t     size;
};

/// `Arrays` are DeviceArrays with the names of the arrays of an `Image`: for_each_array(visit, m...), in the namespace
/// of each of the two, calls visit(name, array...) for those of an image, of an Arrays, or of both side by side. What
/// there is to an image besides is its base `Summary`.
template <class Image, class Arrays> class DeviceImage {
public:
  using Summary = typename Image::Summary;

  Arrays        &arrays() { return arrays_; }
  const Arrays  &arrays() const { return arrays_; }
  const Summary &summary() const { return summary_; }

  /// Takes the place of what was there, brought by so many threads of the host; arrays whose size has not changed stay
  /// where they are. What the image has left gets room only, and so do `others`, which are no part of the image.
  template <class... T> void upload(const Image &m, int threads, const Sized<T> &...others)
  {
    std::size_t bytes = 0;
    const auto  need  = [&bytes](std::size_t n, auto &array) {
      if (array.size() == n) return;
      array = {};
      if (n > 0) bytes += array.room(n);
    };
    for_each_array([&](const char *, const auto &from, auto &to) { need(from.size(), to); }, m, arrays_);
    (need(others.size, others.array), ...);
    DeviceBlock block(bytes);
    const auto  take = [&block](std::size_t n, auto &array) {
      if (array.size() != n) array = std::decay_t<decltype(array)>(n, block);
    };
    for_each_array(
      [&](const char *, const auto &from, auto &to) {
        take(from.size(), to);
        if (from.size() > 0 && !is_left(from))
          to.upload(reinterpret_cast<decltype(to.data())>(const_cast<void *>(static_cast<const void *>(from.data()))), threads);
      },
      m, arrays_);
    (take(others.size, others.array), ...);
    summary_ = m;
  }

  /// Of the arrays of an image, this one alone, which is as long as that on the device.
  template <class From, class T> static void renew(const From &from, DeviceArray<T> &to)
  {
    to.upload(reinterpret_cast<const T *>(static_cast<const void *>(from.data())));
  }
  template <class To, class T> static void download(To &to, const DeviceArray<T> &from)
  {
    if (from.size() == 0) return;
    to = To(from.size());
    from.download(reinterpret_cast<T *>(static_cast<void *>(to.data())), from.size());
  }

  Image download() const
  {
    Image m;
    for_each_array([](const char *, auto &to, const auto &from) { download(to, from); }, m, arrays_);
    static_cast<Summary &>(m) = summary_;
    return m;
  }

  void add_to(Footprint &f, const std::string &prefix) const
  {
    for_each_array([&](const char *name, const auto &array) { add_to(f, prefix + name, array.bytes()); }, arrays_);
  }
  /// The same for another array, unless it is empty.
  static void add_to(Footprint &f, const std::string &name, std::size_t bytes)
  {
    if (bytes > 0) f.arrays.push_back({name, bytes, false});
  }

private:
  template <class T> static bool is_left(const std::vector<T> &) { return false; }
  template <class T> static bool is_left(const Room<T> &room) { return room.is_left(); }

  Arrays  arrays_;
  Summary summary_;
};

} // namespace petscspmv::kernels
