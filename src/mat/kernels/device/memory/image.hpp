#pragma once

/// \file image.hpp
/// An *image*: a matrix in pieces as it lies on a device, which has the same arrays in host memory. What the host sees
/// of one that is on a device.

#include <optional>
#include <string>

#include "core/format.hpp"
#include "kernels/device/memory/rows.hpp"

namespace petscspmv::kernels {

/// The arrays of an image on a device, and the product with them. Defined by what nvcc compiles.
template <class Scalar, class Image> class DeviceTiles {
public:
  virtual ~DeviceTiles() = default;

  /// Takes the place of what was there, brought by so many threads of the host; arrays whose size has not changed stay
  /// where they are. What the image has left is made from `rows`, which are null for an image without such. Throws
  /// FormatError if there is no room.
  virtual void upload(const Image &m, int threads, const DeviceRows<Scalar> *rows) = 0;
  /// Takes new values from `rows`, whose pattern is that of the image. False if they do not fit the way in which those
  /// before them are kept; what is here is then worth nothing. Throws FormatError.
  virtual bool refresh(const DeviceRows<Scalar> &rows) = 0;
  /// What refresh() wants of the rows; no values if it can do nothing with them.
  virtual RowsWanted wanted() const = 0;
  /// Where all values are in a small part of the image, such as the patterns of a stencil, that part: new ones are then
  /// found on the host, without bringing all of them here. Else nothing.
  virtual std::optional<Image> constants() const = 0;
  /// Takes new values from what constants() returned. Throws FormatError.
  virtual void  renew_constants(const Image &m)                                       = 0;
  virtual Image download() const                                                      = 0;
  virtual void  multiply(Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) const = 0;
  /// Whether products write anything but y.
  virtual bool has_scratch() const                                   = 0;
  virtual void add_to(Footprint &f, const std::string &prefix) const = 0;
};

/// A matrix on a device.
template <class Scalar, class Index, class Image> class ImageFormat : public Format<Scalar, Index> {
public:
  using Format<Scalar, Index>::Format;
  /// What is on the device, copied back. Values for refresh() may be in host memory or on the device.
  virtual Image image() const = 0;
};

} // namespace petscspmv::kernels
