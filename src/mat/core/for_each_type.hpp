#pragma once

/// \file for_each_type.hpp
/// Explicit instantiations, which no template can write.

#include <complex>
#include <cstdint>

/// M(Scalar, Index) for each pair that the formats are compiled for, or for the one that this object is for.
#if defined(PETSCSPMV_FLAVOUR_real32)
  #define PETSCSPMV_FOR_EACH_TYPE(M) M(double, std::int32_t)
#elif defined(PETSCSPMV_FLAVOUR_real64)
  #define PETSCSPMV_FOR_EACH_TYPE(M) M(double, std::int64_t)
#elif defined(PETSCSPMV_FLAVOUR_complex32)
  #define PETSCSPMV_FOR_EACH_TYPE(M) M(std::complex<double>, std::int32_t)
#elif defined(PETSCSPMV_FLAVOUR_complex64)
  #define PETSCSPMV_FOR_EACH_TYPE(M) M(std::complex<double>, std::int64_t)
#else
  #define PETSCSPMV_FOR_EACH_TYPE(M) \
    M(double, std::int32_t) \
    M(double, std::int64_t) \
    M(std::complex<double>, std::int32_t) M(std::complex<double>, std::int64_t)
#endif
