#pragma once

/// \file diagonal.hpp
/// The diagonal of a matrix, for those who must not see how threads and devices are used. Defined in kernels/diagonal.cpp.

#include "csr_view.hpp"

namespace petscspmv {

/// d[r] = the entry of row r in column r, the first if there are several, or 0, for r = 0 .. rows - 1, where `d` is memory of the device
/// [rows]: found by so many threads of the host, behind what is on the current stream, and there when this returns or a little later on that stream.
/// Throws FormatError. Only in a build for a device.
template <class Scalar, class Index> void diagonal_to_device(const CsrView<Scalar, Index> &a, int threads, Scalar *d);

} // namespace petscspmv
