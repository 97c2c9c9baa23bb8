#pragma once

/// \file large_pages.hpp
/// Memory that nobody has touched so far, in large pages: a page takes as long to be touched for the first time as to
/// copy thousands of numbers.

#include <cstddef>
#include <cstdint>
#if defined(__linux__)
  #include <sys/mman.h>
#endif

namespace petscspmv {

/// Tells the system to take them where an array of n has whole ones.
template <class T> void want_large_pages([[maybe_unused]] const T *array, [[maybe_unused]] std::size_t n)
{
#if defined(__linux__)
  constexpr std::size_t page    = std::size_t(2) << 20;
  const std::size_t     bytes   = n * sizeof(T);
  const std::size_t     skipped = (page - reinterpret_cast<std::uintptr_t>(array) % page) % page;
  if (bytes >= skipped + page)
    madvise(reinterpret_cast<char *>(const_cast<T *>(array)) + skipped, (bytes - skipped) / page * page, MADV_HUGEPAGE);
#endif
}

} // namespace petscspmv
