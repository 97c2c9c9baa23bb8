#pragma once

/// \file matrix.hpp
/// A matrix on a device: analysed on the host, and kept there in pieces, which take new values where they are. It does
/// not transpose.

#include <cstdint>
#include <mutex>

#include "core/format.hpp"
#include "impls/ccoo/device/pieces.hpp"
#include "kernels/device/order.hpp"

namespace petscspmv::ccoo {

template <class Scalar, class Index> class DeviceMatrix final : public Format<Scalar, Index> {
  using View = CsrView<Scalar, Index>;

public:
  DeviceMatrix(const View &a, OptionValues options, int threads);

  void      multiply(Operation, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) override;
  Footprint footprint() const override { return pieces_.footprint(); }
  Facts     facts() const override;
  /// What is on the device, copied back.
  image::Image<Scalar> image() const { return pieces_.download(); }

private:
  /// Where the new values fit the way in which the old ones are kept, they are taken over on the device; else all is
  /// analysed and coded anew.
  void take_values(const View &a) override;
  /// Takes the values of `a` over on the device; false if they do not fit, or if there is no room for them beside what
  /// is there.
  bool is_renewed(const View &a);
  /// Puts the matrix as it is now on the device. Arrays are filled there, if there is room for the rows, too, which are
  /// on their way while the host does its part. The values of `from` may be on the device already.
  void build(const View &from);

  std::int32_t         rows_;
  OptionValues         options_;
  int                  threads_;
  DevicePieces<Scalar> pieces_;
  kernels::StreamOrder order_;
  std::mutex           busy_; ///< threads of the program queue one product after the other
  Facts                facts_;
  std::int64_t         refreshed_ = 0, renewed_ = 0; ///< times in all, and without being made anew
};

} // namespace petscspmv::ccoo
