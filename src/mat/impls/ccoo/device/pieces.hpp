#pragma once

/// \file pieces.hpp
/// What is on a device of a matrix. Defined by what nvcc compiles (pieces.cuh).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/footprint.hpp"
#include "impls/ccoo/device/image.hpp"
#include "impls/ccoo/device/memory/rows.hpp"

namespace petscspmv::ccoo {
namespace device {
template <class Scalar> struct AllPieces;
}

/// The pieces of a matrix in the memory of the current device, and what they do on the current stream.
template <class Scalar> class DevicePieces {
  using Image = image::Image<Scalar>;
  using Rows  = DeviceRows<Scalar>;

public:
  DevicePieces();
  ~DevicePieces();

  /// Hot columns that an image may have. Throws FormatError.
  static std::size_t most_hot_columns();
  /// Blocks of threads that may wait for other ones of a product with batches, so that there is room for one that they
  /// wait for. Throws FormatError.
  static std::size_t most_waiting_batches();
  /// What counts the columns of these rows, which must outlive it.
  static std::unique_ptr<image::Maker> make_maker(const Rows &rows);

  /// Takes the place of what was there, brought by so many threads of the host; arrays whose size has not changed stay
  /// where they are. What the image has left is made from `rows`, which are null for an image without such. Throws
  /// FormatError if there is no room.
  void upload(const Image &m, int threads, const Rows *rows);
  /// Takes new values from `rows`, whose pattern is that of the image. False if they do not fit the way in which those
  /// before them are kept; what is here is then worth nothing. Throws FormatError.
  bool refresh(const Rows &rows);
  /// What refresh() wants of the rows.
  RowsWanted wanted() const;
  /// An image that can renew_constants(), if all values are with patterns.
  std::optional<Image> constants() const;
  /// Takes new values from what constants() returned. Throws FormatError.
  void  renew_constants(const Image &m);
  Image download() const;

  void        multiply(Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) const;
  static void scale(std::int32_t n, Scalar beta, Scalar *y); ///< y = beta y
  bool        has_scratch() const;                           ///< products write it besides y
  Footprint   footprint() const;

private:
  std::unique_ptr<device::AllPieces<Scalar>> all_;
};

} // namespace petscspmv::ccoo
