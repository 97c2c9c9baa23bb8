#pragma once

/// \file errors.hpp
/// What a format throws when it cannot be built or configured.

#include <stdexcept>
#include <string>

namespace petscspmv {

/// A request that cannot be met: an option out of range, sizes that an index type cannot hold.
///
/// what() is one or more sentences for the user: it names the option or the size, its value, and the remedy.
class FormatError : public std::runtime_error {
public:
  explicit FormatError(const std::string &sentence) : std::runtime_error(sentence) { }
};

} // namespace petscspmv
