#pragma once

/// \file room.hpp
/// Large arrays in host memory that go to a device: uninitialised, and left unwritten where the device fills them.

#include <cstddef>

#include "kernels/host/arena.hpp"

namespace petscspmv::kernels {

/// Uninitialised entries.
template <class T> class Room {
public:
  Room() = default;
  explicit Room(std::size_t n) : arena_(n * sizeof(T), 0), n_(n) { }
  T          *data() const { return reinterpret_cast<T *>(arena_.data()); }
  T          &operator[](std::size_t i) const { return data()[i]; }
  std::size_t size() const { return n_; }
  bool        empty() const { return n_ == 0; }

  /// Leaves them to the device, which fills them.
  void leave() { is_left_ = true; }
  bool is_left() const { return is_left_; }

private:
  Arena       arena_;
  std::size_t n_       = 0;
  bool        is_left_ = false;
};

} // namespace petscspmv::kernels
