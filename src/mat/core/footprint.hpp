#pragma once

/// \file footprint.hpp
/// How much memory a format takes, array by array.

#include <cstddef>
#include <string>
#include <vector>

namespace petscspmv {

/// The arrays that a product reads, with their sizes.
///
/// The sum over all arrays is what a product must read besides x and y (for rooflines); the sum over those that are
/// not borrowed is what the format costs in memory on top of the AIJ matrix.
struct Footprint {
  struct Array {
    std::string name;
    std::size_t bytes    = 0;
    bool        borrowed = false; ///< belongs to the AIJ matrix, costs no extra memory
  };
  std::vector<Array> arrays;

  std::size_t owned() const { return sum(false); }
  std::size_t borrowed() const { return sum(true); }
  std::size_t total() const { return owned() + borrowed(); }

private:
  std::size_t sum(bool borrowed) const
  {
    std::size_t bytes = 0;
    for (const Array &a : arrays)
      if (a.borrowed == borrowed) bytes += a.bytes;
    return bytes;
  }
};

} // namespace petscspmv
