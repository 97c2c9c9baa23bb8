#pragma once

/// \file for_each_type.hpp
/// Explicit instantiations, which no template can write.

#include <complex>
#include <cstdint>

/// M(Scalar, Index) for each pair that the formats are compiled for.
#define PETSCSPMV_FOR_EACH_TYPE(M) \
  M(double, std::int32_t) \
  M(double, std::int64_t) \
  M(std::complex<double>, std::int32_t) M(std::complex<double>, std::int64_t)
