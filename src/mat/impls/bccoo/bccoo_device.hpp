#pragma once

/// \file bccoo_device.hpp
/// A matrix in blocks on the device, as Bccoo sees it.

#include <memory>

#include "impls/bccoo/bccoo_image.hpp"
#include "kernels/device/memory/image.hpp"

namespace petscspmv::bccoo {

template <class Scalar, class Index> using DeviceMatrix = kernels::ImageFormat<Scalar, Index, image::Image<Scalar>>;
template <class Scalar> using DeviceTiles               = kernels::DeviceTiles<Scalar, image::Image<Scalar>>;

/// Analyses `a` on the host, and makes its blocks on the device. Throws FormatError if there is no room or no device.
template <class Scalar, class Index>
std::unique_ptr<DeviceMatrix<Scalar, Index>> make_device_matrix(const CsrView<Scalar, Index> &a, const OptionValues &options,
                                                                const Execution &execution);

/// Defined by what nvcc compiles.
template <class Scalar> std::unique_ptr<DeviceTiles<Scalar>> make_device_tiles();

} // namespace petscspmv::bccoo
