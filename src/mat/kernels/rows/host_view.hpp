#pragma once

/// \file host_view.hpp
/// A matrix as it is analysed: with values in host memory.

#include <vector>

#include "core/csr_view.hpp"
#include "core/runtime.hpp"

namespace petscspmv::kernels {

/// Shows a matrix with the values that are on the host, or else with a copy of those on the device, which it keeps.
/// Throws FormatError if they cannot be copied.
template <class Scalar, class Index> class HostView {
  using View = CsrView<Scalar, Index>;

public:
  explicit HostView(const View &a) : view_(a)
  {
    if (!a.host_val) copy_ = runtime::from_device(a.val, static_cast<std::size_t>(a.nonzeros()));
    if (const Scalar *const val = a.host_val ? a.host_val : copy_.data(); val) view_.val = val;
  }
  HostView(const HostView &)            = delete;
  HostView &operator=(const HostView &) = delete;

  const View &view() const { return view_; }

private:
  std::vector<Scalar> copy_;
  View                view_;
};

} // namespace petscspmv::kernels
