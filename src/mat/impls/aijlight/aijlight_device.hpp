#pragma once

/// \file aijlight_device.hpp
/// A matrix on the device, as AijLight sees it.

#include <array>
#include <memory>

#include "core/format.hpp"

namespace petscspmv::aijlight {

/// Who takes a ticket on a device.
enum class Level { automatic, vector, warp, block };
inline constexpr std::array<std::string_view, 4> level_names{"auto", "vector", "warp", "block"};

/// Copies `a` to the device. Throws FormatError if there is no room, no device, or if the row pointer decreases.
template <class Scalar, class Index>
std::unique_ptr<AnyFormat<Scalar, Index>> make_device_matrix(const CsrView<Scalar, Index> &a, const OptionValues &options, int threads);

} // namespace petscspmv::aijlight
