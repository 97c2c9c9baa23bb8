#pragma once

/// \file float_bits.hpp
/// What a double is, by its bits. Conversions and comparisons raise floating-point exceptions, which end programs that
/// trap them: a float of 1e60 is an overflow, a comparison of a subnormal number is a denormal operand.

#include <bit>
#include <complex>
#include <cstdint>

namespace petscspmv::kernels {

/// True for the same bits: signed zeros and the payloads of NaN count.
constexpr bool same_bits(double a, double b)
{
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
inline bool same_bits(std::complex<double> a, std::complex<double> b)
{
  return same_bits(a.real(), b.real()) && same_bits(a.imag(), b.imag());
}

namespace detail {

inline constexpr std::uint64_t infinity_bits = std::uint64_t(0x7ff) << 52, quiet_bit = std::uint64_t(1) << 51;

/// Without the sign.
constexpr std::uint64_t magnitude_bits(double value)
{
  return std::bit_cast<std::uint64_t>(value) & ~(std::uint64_t(1) << 63);
}

} // namespace detail

inline bool is_finite(double value)
{
  return detail::magnitude_bits(value) < detail::infinity_bits;
}

/// True if a float is exactly `value`, its sign, infinities and the payload of a NaN included, and becomes a double
/// again in any program. A float that is subnormal does not: where denormals are switched off it is zero, elsewhere a
/// denormal operand. Nor does a signalling NaN.
constexpr bool is_single(double value)
{
  constexpr std::uint64_t least = std::uint64_t(1023 - 126) << 52, end = std::uint64_t(1023 + 128) << 52; // of the exponents of floats
  constexpr std::uint64_t lost = (std::uint64_t(1) << 29) - 1; // bits that a float has no room for
  const std::uint64_t     bits = detail::magnitude_bits(value);
  if ((bits & lost) != 0) return false;
  if (bits >= detail::infinity_bits) return bits == detail::infinity_bits || (bits & detail::quiet_bit) != 0;
  return bits - least < end - least || bits == 0;
}

/// True if the nearest float is neither beyond the largest one nor subnormal, or exactly `value`.
constexpr bool rounds_to_single(double value)
{
  const std::uint64_t bits = detail::magnitude_bits(value);
  return is_single(value) || (bits >= detail::magnitude_bits(0x1p-126) && bits < detail::magnitude_bits(0x1.ffffffp127));
}

} // namespace petscspmv::kernels
