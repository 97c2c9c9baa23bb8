#pragma once

/// \file room.hpp
/// Large arrays of what goes to a device, in host memory: not set before they are written, and perhaps never.

#include <cstddef>

#include "kernels/host/arena.hpp"

namespace petscspmv::kernels {

/// Entries that are not set before they are written.
template <class T> class Room {
public:
  Room() = default;
  explicit Room(std::size_t n) : arena_(n * sizeof(T), 0), n_(n) { }
  T          *data() const { return reinterpret_cast<T *>(arena_.data()); }
  T          &operator[](std::size_t i) const { return data()[i]; }
  std::size_t size() const { return n_; }
  bool        empty() const { return n_ == 0; }

  /// Nobody writes them here: they are made on the device.
  void leave() { is_left_ = true; }
  bool is_left() const { return is_left_; }

private:
  Arena       arena_;
  std::size_t n_       = 0;
  bool        is_left_ = false;
};

} // namespace petscspmv::kernels
