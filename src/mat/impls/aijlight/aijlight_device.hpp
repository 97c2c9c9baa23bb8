#pragma once

/// \file aijlight_device.hpp
/// A matrix on the device, as AijLight sees it.

#include <memory>

#include "core/format.hpp"

namespace petscspmv::aijlight {

/// Copies `a` to the device. Throws FormatError if there is no room, no device, or if the row pointer decreases.
template <class Scalar, class Index>
std::unique_ptr<AnyFormat<Scalar, Index>> make_device_matrix(const CsrView<Scalar, Index> &a, const OptionValues &options, int threads);

} // namespace petscspmv::aijlight
