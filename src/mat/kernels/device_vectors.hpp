#pragma once

/// \file device_vectors.hpp
/// Numbers that may be on a device, for what the host's compiler compiles.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace petscspmv::kernels {

/// Whether an address is one of the device. Throws FormatError.
bool is_device_address(const void *p);

/// The n values at an address of the device; none if the address is one of the host. Throws FormatError.
template <class Scalar> std::vector<Scalar> from_device(const Scalar *p, std::size_t n);

/// y = beta y for n entries on the device, on the current stream.
template <class Scalar> void scale_on_device(std::int32_t n, Scalar beta, Scalar *y);

} // namespace petscspmv::kernels
