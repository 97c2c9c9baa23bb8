#pragma once

/// \file arena.hpp
/// Memory for large arrays that threads fill: not touched before that, and in large pages where the system has them.

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
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
    // Large pages: encoding a matrix of 28 M entries is three times as fast, because most of the time goes to touching pages.
    constexpr std::size_t page = std::size_t(2) << 20, line = 64;
    const std::size_t     all = bytes + slack, unit = all >= 4 * page ? page : line;
    bytes_.reset(static_cast<std::byte *>(std::aligned_alloc(unit, (all + unit - 1) / unit * unit)));
    if (!bytes_) throw std::bad_alloc();
#if defined(__linux__)
    if (unit == page) madvise(bytes_.get(), all, MADV_HUGEPAGE);
#endif
    std::memset(bytes_.get() + bytes, 0, slack);
  }

  std::byte *data() const
  {
    return bytes_.get();
  }

private:
  struct Free {
    void operator()(std::byte *p) const { std::free(p); }
  };
  std::unique_ptr<std::byte, Free> bytes_;
};

} // namespace petscspmv::kernels
