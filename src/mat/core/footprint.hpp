#pragma once

/// \file footprint.hpp
/// How much memory a format takes, array by array.

#include <cstddef>
#include <string>
#include <vector>

namespace petscspmv {

/// The arrays that a product reads, with their sizes, and what is kept besides.
///
/// The sum over all arrays is what a product must read besides x and y (for rooflines). What the format costs in memory
/// on top of the AIJ matrix is kept().
struct Footprint {
  struct Array {
    std::string name;
    std::size_t bytes    = 0;
    bool        borrowed = false; ///< belongs to the AIJ matrix, costs no extra memory
    bool        scratch  = false; ///< belongs to the process, which lends it to products of all matrices
  };
  std::vector<Array> arrays;
  std::size_t        objects = 0; ///< on the host, bytes of what is in no array: options, plans, what vectors have in reserve
  std::size_t        scratch = 0; ///< on the host, bytes that a product borrows from the process at most

  std::size_t owned() const { return total() - borrowed(); }
  std::size_t borrowed() const
  {
    return sum([](const Array &a) { return a.borrowed; });
  }
  std::size_t total() const
  {
    return sum([](const Array &) { return true; });
  }
  std::size_t kept() const { return own_arrays() + objects; }
  /// All that a format has taken is so much, in arrays of its own and in objects.
  void tell_kept(std::size_t bytes) { objects = bytes - own_arrays(); }

private:
  std::size_t own_arrays() const
  {
    return sum([](const Array &a) { return !a.borrowed && !a.scratch; });
  }
  template <class Which> std::size_t sum(const Which &which) const
  {
    std::size_t bytes = 0;
    for (const Array &a : arrays)
      if (which(a)) bytes += a.bytes;
    return bytes;
  }
};

/// Bytes that a vector has taken, of which it may use fewer.
template <class T> std::size_t bytes_taken(const std::vector<T> &v)
{
  return v.capacity() * sizeof(T); // NOLINT(bugprone-sizeof-expression): of pointers, too
}
template <class T> std::size_t bytes_taken(const std::vector<std::vector<T>> &v)
{
  std::size_t bytes = v.capacity() * sizeof(v[0]);
  for (const auto &one : v) bytes += bytes_taken(one);
  return bytes;
}

} // namespace petscspmv
