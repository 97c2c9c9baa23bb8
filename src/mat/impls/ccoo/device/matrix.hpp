#pragma once

/// \file matrix.hpp
/// A matrix on the device, and what nvcc compiles of it.

#include <memory>

#include "impls/ccoo/device/image.hpp"
#include "kernels/device/memory/image.hpp"

namespace petscspmv::ccoo {

template <class Scalar, class Index> using DeviceMatrix = kernels::ImageFormat<Scalar, Index, image::Image<Scalar>>;
template <class Scalar> using DeviceTiles               = kernels::DeviceTiles<Scalar, image::Image<Scalar>>;

// What follows is defined by what nvcc compiles.

template <class Scalar> std::unique_ptr<DeviceTiles<Scalar>> make_device_tiles();

/// What counts the columns of these rows, which must outlive it.
template <class Scalar> std::unique_ptr<image::Maker> make_maker(const kernels::DeviceRows<Scalar> &rows);

/// Hot columns that an image may have on the current device. Throws FormatError.
template <class Scalar> std::size_t most_hot_columns();

/// Blocks of threads that may wait for other ones of a product with batches on the current device, so that there is
/// room for one that they wait for. Throws FormatError.
template <class Scalar> std::size_t most_waiting_batches();

} // namespace petscspmv::ccoo
