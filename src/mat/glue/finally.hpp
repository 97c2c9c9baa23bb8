#pragma once

/// \file finally.hpp
/// What a function gives back however it ends: an error leaves it by any PetscCall().

#include <utility>

namespace petscspmv::shadow {

/// Calls undo() at the end of the scope. What that says is ignored, for the first error counts.
template <class Undo> class [[nodiscard]] Finally {
public:
  explicit Finally(Undo undo) : undo_(std::move(undo)) { }
  ~Finally() { static_cast<void>(undo_()); }
  Finally(const Finally &)            = delete;
  Finally &operator=(const Finally &) = delete;

private:
  Undo undo_;
};

} // namespace petscspmv::shadow
