#pragma once

/// \file staged.hpp
/// Large arrays on their way between ordinary host memory and a device.
///
/// The driver would copy by one thread to page-locked memory of its own and from there to the device, at 7 to 9 GB/s;
/// here, `threads` threads do, which is near what the bus can do (staged.cu).

#include <cstddef>

namespace petscspmv::kernels {

/// Copies `bytes` from ordinary host memory to the device, behind what is on the current stream. The memory may change
/// as soon as this returns. Throws FormatError.
void upload(void *to, const void *from, std::size_t bytes, int threads);

/// Copies `bytes` from the device to ordinary host memory, behind what is on the current stream, and waits for it: its
/// pages are touched by several threads, too. Throws FormatError.
void download(void *to, const void *from, std::size_t bytes, int threads);

} // namespace petscspmv::kernels
