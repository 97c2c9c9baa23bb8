#pragma once

/// \file rows.hpp
/// The rows of a matrix on a device, from which pieces are made and refreshed there, as the host sees them.

#include <cstdint>
#include <memory>

#include "core/csr_view.hpp"

namespace petscspmv::ccoo {

/// Which arrays of a matrix are wanted on the device.
struct RowsWanted {
  bool row_ptr = false, col = false, val = false;

  bool covers(const RowsWanted &other) const { return row_ptr >= other.row_ptr && col >= other.col && val >= other.val; }
  void add(const RowsWanted &other) { *this = {row_ptr || other.row_ptr, col || other.col, val || other.val}; }
};

/// The rows, as far as they were asked for. What is on the device is in rows.cuh.
template <class Scalar> class DeviceRows {
public:
  virtual ~DeviceRows() = default;
  /// Brings what is wanted there by so many threads of the host, unless it is there already or on its way. `beside`: in
  /// another thread, if the system gives one, and arrive() then throws what this would. Throws FormatError if there is
  /// no room.
  virtual void ask(const RowsWanted &wanted, int threads, bool beside) = 0;
  /// Waits until all that was asked for is there.
  virtual void arrive() const = 0;
  /// Waits for what of this are not values.
  virtual void         arrive_pattern() const = 0;
  virtual std::int64_t cols() const           = 0;
  virtual std::int64_t nonzeros() const       = 0;
  virtual bool         wide() const           = 0; ///< indices of 64 bits
};

/// Those of `a`, none of which is there yet, for the current device. Arrays may be in its memory, and must stay where
/// they are.
template <class Scalar, class Index> std::unique_ptr<DeviceRows<Scalar>> make_device_rows(const CsrView<Scalar, Index> &a);

} // namespace petscspmv::ccoo
