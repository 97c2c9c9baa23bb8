#pragma once

/// \file arena.hpp
/// Memory for large arrays that threads fill: not touched before that, and in large pages where the system has them.

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>
#if defined(__linux__)
  #include <sys/mman.h>
#endif

namespace petscspmv::kernels {

/// Bytes that are not set, and some zeros behind them that may be read.
class Arena {
public:
  Arena() = default;

  /// Throws std::bad_alloc.
  Arena(std::size_t bytes, std::size_t slack)
  {
    // Large pages: encoding a matrix of 28 M entries is three times as fast, because most of the time goes to touching
    // pages. And where a matrix about fills a core's second cache, whose sets are those of physical addresses, small
    // pages lie there as it happens. Time of a product, eight builds of the same matrix, slowest over fastest on one
    // core of an AMD Zen 4, with all memory of the process in large pages: ccoo, 2.7 MB, 1.28, with them 1.04; bccoo,
    // 1.5 MB, 1.54 and 1.02; the fastest is faster by 4 to 6 %. Below `least`, most of a large page would be for
    // nothing.
    constexpr std::size_t page = std::size_t(2) << 20, least = page / 4, line = 64;
    const std::size_t     all = bytes + slack, unit = all >= least ? page : line, whole = (all + unit - 1) / unit * unit;
    bytes_.reset(static_cast<std::byte *>(std::aligned_alloc(unit, whole)));
    taken_ = whole;
    if (!bytes_) throw std::bad_alloc();
#if defined(__linux__)
    if (unit == page) madvise(bytes_.get(), whole, MADV_HUGEPAGE);
#endif
    std::memset(bytes_.get() + bytes, 0, slack);
  }

  std::byte *data() const
  {
    return bytes_.get();
  }
  /// In whole pages.
  std::size_t bytes_taken() const
  {
    return bytes_ ? taken_ : 0;
  }
  /// The caller's from now on, to free().
  std::byte *release()
  {
    return bytes_.release();
  }

private:
  struct Free {
    void operator()(std::byte *p) const { std::free(p); }
  };
  std::unique_ptr<std::byte, Free> bytes_;
  std::size_t                      taken_ = 0;
};

/// Allocates in such memory, and leaves elements that are given no value as they are.
template <class T> struct Unset {
  using value_type = T;

  Unset() = default;
  template <class U> Unset(const Unset<U> &) { }
  T                          *allocate(std::size_t n) { return reinterpret_cast<T *>(Arena(n * sizeof(T), 0).release()); }
  void                        deallocate(T *p, std::size_t) { std::free(p); }
  void                        construct(T *) { }
  template <class Value> void construct(T *p, Value &&value) { ::new (static_cast<void *>(p)) T(std::forward<Value>(value)); }
  friend bool                 operator==(const Unset &, const Unset &) { return true; }
};

/// A large array that threads fill.
template <class T> using UnsetVector = std::vector<T, Unset<T>>;

} // namespace petscspmv::kernels
