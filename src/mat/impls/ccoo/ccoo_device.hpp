#pragma once

/// \file ccoo_device.hpp
/// A matrix on the device, as Ccoo sees it.

#include <memory>

#include "core/format.hpp"
#include "impls/ccoo/ccoo_image.hpp"

namespace petscspmv::ccoo {

template <class Scalar, class Index> class DeviceMatrix : public AnyFormat<Scalar, Index> {
public:
  /// What is on the device, copied back.
  virtual image::Image<Scalar> image() const = 0;
};

/// Analyses and codes `a` on the host, and copies the result to the device. Throws FormatError if there is no room or no device.
template <class Scalar, class Index>
std::unique_ptr<DeviceMatrix<Scalar, Index>> make_device_matrix(const CsrView<Scalar, Index> &a, const OptionValues &options,
                                                                const Execution &execution);

/// The arrays of an image on the device, and the product with them. Defined by what nvcc compiles.
template <class Scalar> class DeviceTiles {
public:
  virtual ~DeviceTiles() = default;

  /// Takes the place of what was there, brought by so many threads of the host; arrays whose size has not changed stay where they are. Throws FormatError if
  /// there is no room.
  virtual void upload(const image::Image<Scalar> &m, int threads) = 0;
  /// Hot columns that an image may have.
  virtual std::size_t          most_hot() const                                                                      = 0;
  virtual image::Image<Scalar> download() const                                                                      = 0;
  virtual void                 multiply(bool conjugate, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) const = 0;
  virtual void                 add_to(Footprint &f, const std::string &prefix) const                                 = 0;
};
template <class Scalar> std::unique_ptr<DeviceTiles<Scalar>> make_device_tiles();

/// y = beta y for n entries on the device.
template <class Scalar> void scale_on_device(Local n, Scalar beta, Scalar *y);

} // namespace petscspmv::ccoo
