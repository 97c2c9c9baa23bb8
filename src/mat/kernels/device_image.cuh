#pragma once

/// \file device_image.cuh
/// The arrays of an image on a device.

#include <string>
#include <type_traits>
#include <vector>

#include "core/footprint.hpp"
#include "kernels/device_array.cuh"
#include "kernels/room.hpp"

namespace petscspmv::kernels {

/// `Arrays` are DeviceArrays with the names of the arrays of an `Image`: for_each_array(visit, m...), in the namespace of each of the two, calls visit(name,
/// array...) for those of an image, of an Arrays, or of both side by side. What there is to an image besides is its base `Summary`.
template <class Image, class Arrays> class DeviceImage {
public:
  using Summary = typename Image::Summary;

  Arrays        &arrays() { return arrays_; }
  const Arrays  &arrays() const { return arrays_; }
  const Summary &summary() const { return summary_; }

  /// Takes the place of what was there, brought by so many threads of the host; arrays whose size has not changed stay where they are. What the image
  /// has left gets room only.
  void upload(const Image &m, int threads)
  {
    for_each_array(
      [threads](const char *, const auto &from, auto &to) {
        if (to.size() != from.size()) to = {};
        if (from.size() == 0) return;
        if (to.size() == 0) to = std::decay_t<decltype(to)>(from.size());
        if (!is_left(from))
          to.upload(reinterpret_cast<decltype(to.data())>(const_cast<void *>(static_cast<const void *>(from.data()))), threads);
      },
      m, arrays_);
    summary_ = m;
  }

  Image download() const
  {
    Image m;
    for_each_array(
      [](const char *, auto &to, const auto &from) {
        if (from.size() == 0) return;
        to = std::decay_t<decltype(to)>(from.size());
        from.download(reinterpret_cast<decltype(from.data())>(to.data()), from.size());
      },
      m, arrays_);
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
