#pragma once

/// \file traps.hpp
/// Floating-point exceptions, as programs meet them that trap them (PETSc's -fp_trap, gfortran's -ffpe-trap).

#include <atomic>
#include <csignal>
#include <cstring>
#include <string>
#include <string_view>

#if defined(__x86_64__)
  #include <xmmintrin.h>
#endif
#if defined(__x86_64__) && defined(__linux__)
  #include <ucontext.h>
#else
  #include <cfenv>
#endif

namespace petscspmv::test {

/// Bits, of MXCSR where there is one.
using Exceptions = unsigned;

#if defined(__x86_64__) && defined(__linux__)
inline constexpr Exceptions invalid = 0x01, denormal = 0x02, by_zero = 0x04, overflow = 0x08, underflow = 0x10;
#else
inline constexpr Exceptions invalid = FE_INVALID, denormal = 0, by_zero = FE_DIVBYZERO, overflow = FE_OVERFLOW, underflow = FE_UNDERFLOW;
#endif
/// All but that of rounding.
inline constexpr Exceptions every_exception = invalid | denormal | by_zero | overflow | underflow;

inline std::string names_of(Exceptions e)
{
  std::string text;
  const auto  add = [&](Exceptions one, std::string_view name) {
    if ((e & one) != 0) text += std::string(text.empty() ? "" : ", ").append(name);
  };
  add(invalid, "invalid");
  add(denormal, "denormal operand");
  add(by_zero, "division by zero");
  add(overflow, "overflow");
  add(underflow, "underflow");
  return text;
}

/// Traps some exceptions, in this thread and in those that it starts, until its end; a trap is noted, and then the
/// thread goes on without traps.
///
/// Where the processor is none that we know how to go on with, flags are looked at instead.
class Traps {
public:
  Traps(const Traps &)            = delete;
  Traps &operator=(const Traps &) = delete;

#if defined(__x86_64__) && defined(__linux__)
  explicit Traps(Exceptions trapped) : before_(_mm_getcsr())
  {
    struct sigaction action = {};
    action.sa_sigaction     = &note;
    action.sa_flags         = SA_SIGINFO;
    sigaction(SIGFPE, &action, nullptr);
    noted = 0;
    _mm_setcsr((before_ | all_masks) & ~(trapped << to_masks) & ~all_flags);
  }
  ~Traps()
  {
    _mm_setcsr(before_);
  }

  /// What has been raised so far, by this thread trapped or not, by others only if they trap it.
  Exceptions raised() const
  {
    return (noted | _mm_getcsr()) & every_exception;
  }

private:
  static constexpr unsigned all_flags = 0x3f, to_masks = 7, all_masks = all_flags << to_masks;

  static void note(int, siginfo_t *, void *context)
  {
    auto &mxcsr = static_cast<ucontext_t *>(context)->uc_mcontext.fpregs->mxcsr;
    noted |= mxcsr & ~(mxcsr >> to_masks) & every_exception;
    mxcsr |= all_masks; // the instruction is done again
  }

  static inline std::atomic<unsigned> noted{0};
  unsigned                            before_;
#else
  explicit Traps(Exceptions)
  {
    std::feholdexcept(&before_);
  }
  ~Traps()
  {
    std::fesetenv(&before_);
  }
  Exceptions raised() const
  {
    return std::fetestexcept(every_exception);
  }

private:
  std::fenv_t before_;
#endif
};

#if defined(__x86_64__)
/// Denormals are switched off in this thread, operands and results, as libraries do that were linked with -Ofast.
class DenormalsOff {
public:
  DenormalsOff() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040); }
  ~DenormalsOff() { _mm_setcsr(before_); }
  DenormalsOff(const DenormalsOff &)            = delete;
  DenormalsOff &operator=(const DenormalsOff &) = delete;

private:
  unsigned before_;
};
#else
class DenormalsOff { };
#endif

/// The names of what work() raises besides `allowed`, which it does not trap; empty if there is nothing.
template <class Work> std::string raised_by(Work &&work, Exceptions allowed = 0)
{
  const Traps traps(every_exception & ~allowed);
  work();
  return names_of(traps.raised() & ~allowed);
}

/// The exceptions of work(), untrapped. An underflow whose result is exact is trapped, but leaves no flag: it counts
/// where there are subnormal numbers.
template <class Work> Exceptions exceptions_of(Work &&work)
{
  const Traps traps(0);
  work();
  const Exceptions raised = traps.raised();
  return (raised & (denormal | underflow)) != 0 ? raised | denormal | underflow : raised;
}

} // namespace petscspmv::test
