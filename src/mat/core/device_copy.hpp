#pragma once

/// \file device_copy.hpp
/// Arrays of ours in the memory of a device, and copies to and from there by several threads. Defined in
/// kernels/kokkos/device_copy.cpp.

#include <cstddef>
#include <memory>

#include "core/csr_view.hpp"

namespace petscspmv {

/// The arrays of a matrix of the host in the memory of a device, for work there that needs nothing else of it. To send
/// them so takes a quarter of what PETSc's own copy takes, which one thread makes.
template <class Scalar, class Index> class DeviceCopy {
public:
  virtual ~DeviceCopy() = default;

  /// What `a` was when it was copied, with its arrays on the device.
  virtual CsrView<Scalar, Index> shown(CsrView<Scalar, Index> a) const = 0;

  /// Copies other values, [nonzeros], of the same pattern. Throws FormatError.
  virtual void refresh(const Scalar *val) = 0;

  /// Writes the diagonal, with zeros where a row has no such entry, to device memory: [rows].
  virtual void diagonal(Scalar *to) const = 0;

  virtual std::size_t bytes() const = 0;
};

/// `threads` copy. Throws FormatError: there is no device, or no room.
template <class Scalar, class Index>
std::unique_ptr<DeviceCopy<Scalar, Index>> make_device_copy(const CsrView<Scalar, Index> &a, int threads);

/// Copies `bytes` from the host to a device or back, behind what is on its stream. The host's memory may be read and
/// changed as soon as they return. Throw FormatError.
void copy_to_device(void *to, const void *from, std::size_t bytes, int threads);
void copy_from_device(void *to, const void *from, std::size_t bytes, int threads);

} // namespace petscspmv
