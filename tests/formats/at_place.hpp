#pragma once

/// \file at_place.hpp
/// Kinds of numbers for which an engine that is no format is tested, and where.

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>

namespace petscspmv::test {

/// `Place` says where that is, and what is there: its own contract tells how.
template <class S, class I, class P> struct AtPlace {
  using Scalar = S;
  using Index  = I;
  using Place  = P;
};

template <class Place>
using ThreeKindsAt = ::testing::Types<AtPlace<double, std::int32_t, Place>, AtPlace<double, std::int64_t, Place>,
                                      AtPlace<std::complex<double>, std::int32_t, Place>>;

template <class Place>
using AllKindsAt = ::testing::Types<AtPlace<double, std::int32_t, Place>, AtPlace<double, std::int64_t, Place>,
                                    AtPlace<std::complex<double>, std::int32_t, Place>, AtPlace<std::complex<double>, std::int64_t, Place>>;

} // namespace petscspmv::test
