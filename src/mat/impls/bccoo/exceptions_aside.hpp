#pragma once

/// \file exceptions_aside.hpp
/// Sums in which something takes part that is no entry of the matrix: lanes behind the last row of a block, zeros that
/// fill it up.

#if defined(__x86_64__)
  #include <xmmintrin.h>
#else
  #include <cfenv>
#endif

namespace petscspmv::bccoo {

/// For its lifetime, floating-point exceptions of this thread are neither trapped nor left as flags for the program.
/// What is computed meanwhile must be read from memory and written to memory, or it could be moved out of it.
class ExceptionsAside {
public:
  ExceptionsAside(const ExceptionsAside &)            = delete;
  ExceptionsAside &operator=(const ExceptionsAside &) = delete;

#if defined(__x86_64__)
  [[gnu::always_inline]] ExceptionsAside() : before_(_mm_getcsr())
  {
    _mm_setcsr((before_ | flags << to_masks) & ~flags);
    hold();
  }
  [[gnu::always_inline]] ~ExceptionsAside()
  {
    hold();
    _mm_setcsr(before_);
  }

  /// True if there was one that matters: something invalid, an overflow, or what the program traps. Rounding does not,
  /// and who does not trap underflows and denormal operands is not to wait for another summation.
  [[gnu::always_inline]] bool raised() const
  {
    hold();
    const unsigned trapped = ~before_ >> to_masks;
    return (_mm_getcsr() & (serious | (trapped & flags & ~inexact))) != 0;
  }

private:
  static constexpr unsigned flags = 0x3f, inexact = 0x20, serious = 0x01 | 0x04 | 0x08, to_masks = 7; // of MXCSR

  unsigned before_;
#else
  ExceptionsAside()
  {
    std::feholdexcept(&before_);
    hold();
  }
  ~ExceptionsAside()
  {
    hold();
    std::fesetenv(&before_);
  }
  bool raised() const
  {
    hold();
    return std::fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW) != 0;
  }

private:
  std::fenv_t before_;
#endif

  [[gnu::always_inline]] static void hold()
  {
    asm volatile("" ::: "memory");
  }
};

} // namespace petscspmv::bccoo
