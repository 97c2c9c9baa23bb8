#pragma once

/// \file values.hpp
/// Values in fewer bytes, bit for bit: how they are written, and the one decoder of each coding.

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace petscspmv::kernels {

/// How consecutive values are kept. A value of a complex matrix is a pair that is coded as one thing.
enum class Coding : std::uint8_t {
  constant,   ///< one value: the table's only entry, no bytes
  table16,    ///< four bits a value, the low ones first: its place in a table
  table256,   ///< a byte a value
  table65536, ///< two bytes a value
  single,     ///< floats, where every value is exactly one (is_single)
  raw,        ///< the values as they are; the last one
};

inline constexpr int        coding_count = static_cast<int>(Coding::raw) + 1;
inline constexpr std::array coding_names =
  std::to_array<std::string_view>({"constant", "table of 16", "table of 256", "table of 65536", "fp32", "raw"});
static_assert(coding_names.size() == coding_count);

/// Nanoseconds that decoding a value takes, by coding.
using CodingCosts = std::array<double, coding_count>;

/// Bits of a value.
template <class Scalar> constexpr int coded_bits(Coding c)
{
  switch (c) {
  case Coding::constant:
    return 0;
  case Coding::table16:
    return 4;
  case Coding::table256:
    return 8;
  case Coding::table65536:
    return 16;
  case Coding::single:
    return 4 * sizeof(Scalar);
  case Coding::raw:
    return 8 * sizeof(Scalar);
  }
  __builtin_unreachable();
}

/// Most entries of the table of a coding that has one, else 0.
constexpr std::int64_t table_limit(Coding c)
{
  return c == Coding::single || c == Coding::raw ? 0 : std::int64_t(1) << coded_bits<double>(c);
}

/// Lanes take eight values at a time, so that up to seven behind the last are decoded, too: places in a table, or
/// floats, that are 0. Any other bits could be a float that must not be converted (float_bits.hpp).
inline constexpr std::size_t coded_padding = 7;

/// Bytes that n values take: whole doubles, so that what is coded as raw can follow on anything.
template <class Scalar> constexpr std::size_t coded_bytes(Coding c, std::size_t n)
{
  constexpr std::size_t whole  = 8 * sizeof(double);
  const bool            padded = c != Coding::raw && c != Coding::table16;
  const std::size_t     bits   = (n + (padded && n > 0 ? coded_padding : 0)) * static_cast<std::size_t>(coded_bits<Scalar>(c));
  return (bits + whole - 1) / whole * sizeof(double);
}

/// Up to so many bytes behind the last value are read.
inline constexpr std::size_t coded_slack = 128;

template <class T> [[gnu::always_inline]] inline T read_as(const std::byte *p)
{
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

/// Coded values that are looked at.
template <Coding c, class Scalar> struct CodedValues {
  static constexpr Coding coding = c;

  const std::byte *bytes; ///< coded_bytes() of them, and coded_slack more that may be read
  const Scalar    *table; ///< [table_limit(c)], as far as there are different values

  /// Value i.
  [[gnu::always_inline]] Scalar operator[](std::int64_t i) const
  {
    if constexpr (table_limit(c) > 0) return table[place(i)];
    else if constexpr (c == Coding::single) return exact(i, Scalar());
    else {
      static_assert(c == Coding::raw);
      return read_as<Scalar>(bytes + static_cast<std::int64_t>(sizeof(Scalar)) * i);
    }
  }

  /// The place in the table where value i is.
  [[gnu::always_inline]] std::size_t place(std::int64_t i) const requires(table_limit(c) > 0)
  {
    if constexpr (c == Coding::constant) return 0;
    else if constexpr (c == Coding::table16) return std::to_integer<std::size_t>(bytes[i >> 1]) >> (i & 1) * 4 & 15;
    else if constexpr (c == Coding::table256) return std::to_integer<std::size_t>(bytes[i]);
    else {
      static_assert(c == Coding::table65536);
      return read_as<std::uint16_t>(bytes + 2 * i);
    }
  }

  /// Asks for the values that are some way behind value i. Whoever begins with this has to do it for each line, since
  /// the processor does not ask for those in between: a gather kernel on one core of an AMD Zen 4, ns an entry, nothing
  /// asked for 0.58, every line 0.43, every second one 0.81.
  [[gnu::always_inline]] void prefetch(std::int64_t i) const
  {
    constexpr std::int64_t size = c == Coding::raw ? sizeof(Scalar) : sizeof(Scalar) / 2;
    if constexpr (c == Coding::raw || c == Coding::single) __builtin_prefetch(bytes + size * i + ahead, 0, 2);
  }

private:
  // Far ahead and to the second cache, which can wait for more lines at a time than the first. AMD Zen 4, one core, 4
  // KB to the first cache and 16 KB to the second, ms: 7-point 160^3 with random values 15.7, 12.0; 27-point 96^3 8.9,
  // 8.2; blocks of 3 with shuffled rows 16, 10.
  static constexpr std::int64_t ahead = 16384;

  [[gnu::always_inline]] double exact(std::int64_t i, double) const { return static_cast<double>(read_as<float>(bytes + 4 * i)); }
  [[gnu::always_inline]] std::complex<double> exact(std::int64_t i, std::complex<double>) const
  {
    return {exact(2 * i, 0.0), exact(2 * i + 1, 0.0)};
  }
};

/// Calls visit(CodedValues<c, Scalar>) for the coding that `coding` is.
template <class Scalar, class Visit>
[[gnu::always_inline]] inline decltype(auto) with_coding(Coding coding, const std::byte *bytes, const Scalar *table, Visit &&visit)
{
  switch (coding) {
  case Coding::constant:
    return visit(CodedValues<Coding::constant, Scalar>{bytes, table});
  case Coding::table16:
    return visit(CodedValues<Coding::table16, Scalar>{bytes, table});
  case Coding::table256:
    return visit(CodedValues<Coding::table256, Scalar>{bytes, table});
  case Coding::table65536:
    return visit(CodedValues<Coding::table65536, Scalar>{bytes, table});
  case Coding::single:
    return visit(CodedValues<Coding::single, Scalar>{bytes, table});
  case Coding::raw:
    return visit(CodedValues<Coding::raw, Scalar>{bytes, table});
  }
  __builtin_unreachable();
}

} // namespace petscspmv::kernels
