#pragma once

/// \file ccoo_device.hpp
/// A matrix on the device, as Ccoo sees it.

#include <memory>
#include <vector>

#include "core/format.hpp"
#include "impls/ccoo/ccoo_image.hpp"

namespace petscspmv::ccoo {

template <class Scalar, class Index> class DeviceMatrix : public AnyFormat<Scalar, Index> {
public:
  /// What is on the device, copied back. Values for refresh() may be in host memory or on the device.
  virtual image::Image<Scalar> image() const = 0;
};

/// Analyses and codes `a` on the host, and copies the result to the device. Throws FormatError if there is no room or no device.
template <class Scalar, class Index>
std::unique_ptr<DeviceMatrix<Scalar, Index>> make_device_matrix(const CsrView<Scalar, Index> &a, const OptionValues &options,
                                                                const Execution &execution);

/// Which arrays of a matrix are wanted on the device.
struct RowsWanted {
  bool row_ptr, col, val;
};

/// The rows of a matrix on the device, as far as they were wanted. Defined by what nvcc compiles.
template <class Scalar> class DeviceRows : public image::Maker {
public:
  /// Brings what is wanted there by so many threads of the host, unless it is there already. Throws FormatError if there is no room.
  virtual void         bring(const RowsWanted &wanted, int threads) = 0;
  virtual std::int64_t nonzeros() const                             = 0;
  virtual bool         wide() const                                 = 0; ///< indices of 64 bits
};

/// Those of `a`, none of which is there yet, for the current device. Arrays may be in its memory, and must stay where they are.
template <class Scalar, class Index> std::unique_ptr<DeviceRows<Scalar>> make_device_rows(const CsrView<Scalar, Index> &a);

/// The values at an address of the device; none if the address is one of the host.
template <class Scalar> std::vector<Scalar> from_device(const Scalar *p, std::size_t n);

/// The arrays of an image on the device, and the product with them. Defined by what nvcc compiles.
template <class Scalar> class DeviceTiles {
public:
  virtual ~DeviceTiles() = default;

  /// Takes the place of what was there, brought by so many threads of the host; arrays whose size has not changed stay where they are. What the image has left
  /// is made from `rows`, which are not needed for an image without such. Throws FormatError if there is no room.
  virtual void upload(const image::Image<Scalar> &m, int threads, const DeviceRows<Scalar> *rows) = 0;
  /// Takes new values from `rows`, whose pattern is that of the image. False if they do not fit the way in which those before them are kept; what is here is
  /// then worth nothing. Throws FormatError.
  virtual bool refresh(const DeviceRows<Scalar> &rows) = 0;
  /// What refresh() wants of the rows.
  virtual RowsWanted wanted() const = 0;
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
