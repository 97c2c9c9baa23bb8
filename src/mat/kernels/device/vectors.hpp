#pragma once

/// \file vectors.hpp
/// Numbers that may be on a device, for what the host's compiler compiles.

#include <cstdint>

namespace petscspmv::kernels {

/// y = beta y for n entries on the device, on the current stream.
template <class Scalar> void scale_on_device(std::int32_t n, Scalar beta, Scalar *y);

} // namespace petscspmv::kernels
