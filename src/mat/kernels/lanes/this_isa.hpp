#pragma once

/// \file this_isa.hpp
/// The instruction set, and the scalars, that a source is being compiled for.
///
/// CMake compiles a source whose name ends in _isa as it is, for the instructions that every processor has, and once
/// more for AVX2, for AVX-512 and for complex scalars, which have portable kernels alone: apart, because compilers take
/// long for each. See isa.hpp for what that asks of the code.

#include <complex>

#if defined(PETSCSPMV_ISA_avx512)
  #include "kernels/lanes/group_avx512.hpp"
#elif defined(PETSCSPMV_ISA_avx2)
  #include "kernels/lanes/group_avx2.hpp"
#else
  #include "kernels/lanes/group_portable.hpp"
#endif
#include "kernels/lanes/isa.hpp"

namespace petscspmv::kernels {
namespace {

#if defined(PETSCSPMV_ISA_avx512)
constexpr Isa this_isa                  = Isa::avx512;
using ThisScalar                        = double;
using ThisLanes                         = Avx512Lanes;
template <bool gathers> using ThisGroup = Avx512Group<gathers>;
#elif defined(PETSCSPMV_ISA_avx2)
constexpr Isa this_isa                  = Isa::avx2;
using ThisScalar                        = double;
using ThisLanes                         = Avx2Lanes;
template <bool gathers> using ThisGroup = Avx2Group;
#else
constexpr Isa this_isa                  = Isa::portable; // NOLINT(misc-definitions-in-headers)
  #if defined(PETSCSPMV_ISA_complex)
using ThisScalar                        = std::complex<double>;
  #else
using ThisScalar = double;
  #endif
using ThisLanes                         = PortableLanes<ThisScalar>;
template <bool gathers> using ThisGroup = PortableGroup<ThisScalar>;
#endif

} // namespace
} // namespace petscspmv::kernels
