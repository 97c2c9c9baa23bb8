#pragma once

/// \file upload.hpp
/// Large arrays on their way from ordinary host memory to a device.

#include <cstddef>
#include <functional>

namespace petscspmv::kernels {

/// Copies `bytes` from ordinary host memory to the device, behind what is on the current stream. The memory may change
/// as soon as this returns.
///
/// The driver would copy by one thread to page-locked memory of its own and from there to the device, at 7 to 9 GB/s;
/// here, `threads` threads do, which is near what the bus can do (device/memory/upload_tuning.hpp). Throws FormatError.
void upload(void *to, const void *from, std::size_t bytes, int threads);

/// Writes n bytes, those from number `at` on of all, to `to`. Called by several threads at the same time; `at` is a
/// multiple of 256 KiB.
using Make = std::function<void(std::size_t at, std::size_t n, std::byte *to)>;

/// The same for bytes that are made on their way: what `make` writes to page-locked memory goes to the device piece by
/// piece.
void upload_made(void *to, std::size_t bytes, int threads, const Make &make);

} // namespace petscspmv::kernels
