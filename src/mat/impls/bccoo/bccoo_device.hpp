#pragma once

/// \file bccoo_device.hpp
/// A matrix in blocks on the device, as Bccoo sees it.

#include <memory>
#include <string>
#include <vector>

#include "core/format.hpp"
#include "impls/bccoo/bccoo_image.hpp"

namespace petscspmv::bccoo {

template <class Scalar, class Index> class DeviceMatrix : public AnyFormat<Scalar, Index> {
public:
  /// What is on the device, copied back. Values for refresh() may be in host memory or on the device.
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

  /// Takes the place of what was there, brought by so many threads of the host; arrays whose size has not changed stay where they are. Throws FormatError
  /// if there is no room.
  virtual void upload(const image::Image<Scalar> &m, int threads) = 0;
  /// Takes the values of `a`, whose pattern is that of the image; they may be in host memory or on the device. False if they do not fit the way in
  /// which those before them are kept, or cannot be taken over on the device; what is here is then worth nothing. Throws FormatError.
  virtual bool                 refresh(const CsrView<Scalar, std::int32_t> &a, int threads)                          = 0;
  virtual bool                 refresh(const CsrView<Scalar, std::int64_t> &a, int threads)                          = 0;
  virtual image::Image<Scalar> download() const                                                                      = 0;
  virtual void                 multiply(bool conjugate, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) const = 0;
  virtual void                 add_to(Footprint &f, const std::string &prefix) const                                 = 0;
};
template <class Scalar> std::unique_ptr<DeviceTiles<Scalar>> make_device_tiles();

/// The values at an address of the device; none if the address is one of the host.
template <class Scalar> std::vector<Scalar> from_device(const Scalar *p, std::size_t n);

/// y = beta y for n entries on the device.
template <class Scalar> void scale_on_device(Local n, Scalar beta, Scalar *y);

} // namespace petscspmv::bccoo
