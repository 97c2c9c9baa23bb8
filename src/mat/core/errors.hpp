#pragma once

/// \file errors.hpp
/// What a format throws when it cannot be built or configured.

#include <memory>
#include <new>
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

/// Thrown when an allocation fails.
///
/// what() is one or more sentences for the user: how much it is, and the remedy.
class MemoryError : public std::bad_alloc {
public:
  explicit MemoryError(const std::string &sentence) : sentence_(std::make_shared<const std::string>(sentence)) { }
  const char *what() const noexcept override { return sentence_->c_str(); }

private:
  std::shared_ptr<const std::string> sentence_; // exceptions are copied, which must not throw
};

} // namespace petscspmv
