#pragma once

/// \file aijspec_device.hpp
/// A matrix on the device, as AijSpec sees it.

#include <memory>

#include "core/format.hpp"

namespace petscspmv::aijspec {

/// Copies `a` to the device. Throws FormatError if there is no room, no device, or if the row pointer decreases.
template <class Scalar, class Index>
std::unique_ptr<AnyFormat<Scalar, Index>> make_device_matrix(const CsrView<Scalar, Index> &a, const OptionValues &options, int threads);

/// The values of the option `tiling`.
enum class Tiling { automatic, nonzeros, rows };

} // namespace petscspmv::aijspec
