#pragma once

/// \file upload.hpp
/// Large arrays on their way from ordinary host memory to a device.

#include <cstddef>

namespace petscspmv::kernels {

/// Copies `bytes` from ordinary host memory to the device, behind what is on the current stream. The memory may change
/// as soon as this returns.
///
/// The driver would copy by one thread to page-locked memory of its own and from there to the device, at 7 to 9 GB/s;
/// here, `threads` threads do, which is near what the bus can do (upload.cu). Throws FormatError.
void upload(void *to, const void *from, std::size_t bytes, int threads);

} // namespace petscspmv::kernels
