#pragma once

/// \file held_on_device.hpp
/// A matrix whose arrays are on a device, and on the host.

#include "support/csr_matrix.hpp"
#include "support/on_device.hpp"

namespace petscspmv::test {

template <class Scalar, class Index> struct HeldOnDevice {
  const CsrMatrix<Scalar, Index> &a;
  DeviceVector<Index>             row_ptr{a.row_ptr}, col{a.col};
  DeviceVector<Scalar>            val{a.val};

  CsrView<Scalar, Index> view() const
  {
    CsrView<Scalar, Index> v = a.view();
    v.device_row_ptr         = row_ptr.data();
    v.device_col             = col.data();
    v.val                    = val.data();
    return v;
  }
};

} // namespace petscspmv::test
