#pragma once

/// \file values.hpp
/// Values in fewer bytes, bit for bit: how they are written, and the one decoder of each coding.

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/coding/codings.hpp"

namespace petscspmv::kernels {

/// Nanoseconds that decoding a value takes. A coding without a cost does not compile.
struct CodingCosts : PerValue<Coding, double, coding_count> {
  constexpr CodingCosts(double constant, double table16, double table256, double table65536, double single, double raw, double rounded)
    : PerValue(per_value<Coding, double>({{Coding::constant, constant},
                                          {Coding::table16, table16},
                                          {Coding::table256, table256},
                                          {Coding::table65536, table65536},
                                          {Coding::single, single},
                                          {Coding::raw, raw},
                                          {Coding::rounded, rounded}}))
  {
  }
};
inline constexpr CodingCosts no_costs{0, 0, 0, 0, 0, 0, 0};

/// Lanes take eight values at a time, so that up to seven behind the last are decoded, too: places in a table, or
/// floats, that are 0. Any other bits could be a float that must not be converted (float_bits.hpp).
inline constexpr std::size_t coded_padding = 7;

/// Bytes that n values take: whole doubles, so that what is coded as raw can follow on anything.
template <class Scalar> constexpr std::size_t coded_bytes(Coding c, std::size_t n)
{
  constexpr std::size_t whole  = 8 * sizeof(double);
  const bool            padded = coded_bits<double>(c) < 64 && table_limit(c) != 16;
  const std::size_t     bits   = (n + (padded && n > 0 ? coded_padding : 0)) * static_cast<std::size_t>(coded_bits<Scalar>(c));
  return (bits + whole - 1) / whole * sizeof(double);
}

/// Up to so many bytes behind the last value are read.
inline constexpr std::size_t coded_slack = 128;

/// Coded values that are looked at.
template <Coding c, class Scalar> struct CodedValues {
  using Form                     = CodingOf<c>;
  static constexpr Coding coding = c;

  const std::byte *bytes; ///< coded_bytes() of them, and coded_slack more that may be read
  const Scalar    *table; ///< [table_limit(c)], as far as there are different values

  /// Value i.
  [[gnu::always_inline]] Scalar operator[](std::int64_t i) const
  {
    if constexpr (Form::most > 0) return table[Form::place(bytes, i)];
    else return number(i, Scalar());
  }
  /// The place in the table where value i is.
  [[gnu::always_inline]] std::size_t place(std::int64_t i) const requires(Form::most > 0) { return Form::place(bytes, i); }
  /// Values i, i + 1, ..., one for each lane of L.
  template <class L> [[gnu::always_inline]] auto lanes(std::int64_t i) const { return Form::template lanes<L>(bytes, table, i); }

  /// Asks for the values that are some way behind value i. Whoever begins with this has to do it for each line, since
  /// the processor does not ask for those in between: a gather kernel on one core of an AMD Zen 4, ns an entry, nothing
  /// asked for 0.58, every line 0.43, every second one 0.81.
  [[gnu::always_inline]] void prefetch(std::int64_t i) const
  {
    if constexpr (Form::most == 0) __builtin_prefetch(bytes + size * i + ahead, 0, 2);
  }

private:
  // Far ahead and to the second cache, which can wait for more lines at a time than the first. AMD Zen 4, one core, 4
  // KB to the first cache and 16 KB to the second, ms: 7-point 160^3 with random values 15.7, 12.0; 27-point 96^3 8.9,
  // 8.2; blocks of 3 with shuffled rows 16, 10.
  static constexpr std::int64_t ahead = 16384;
  static constexpr std::int64_t size  = Form::template bits<Scalar> / 8;

  [[gnu::always_inline]] double number(std::int64_t i, double) const
  {
    using Number = typename Form::Number;
    return static_cast<double>(read_as<Number>(bytes + static_cast<std::int64_t>(sizeof(Number)) * i));
  }
  [[gnu::always_inline]] std::complex<double> number(std::int64_t i, std::complex<double>) const
  {
    return {number(2 * i, 0.0), number(2 * i + 1, 0.0)};
  }
};

template <class Scalar> using PlainValues = CodedValues<plain_coding, Scalar>;
/// Lanes look these up in registers.
using ValuesOf16 = CodedValues<Coding::table16, double>;

/// Calls visit(CodedValues<c, Scalar>) for the coding that `coding` is.
template <class Scalar, class Visit>
[[gnu::always_inline]] inline decltype(auto) with_coding(Coding coding, const std::byte *bytes, const Scalar *table, Visit &&visit)
{
  return visit_coding<true>(
    decoder_of(coding), [&](auto c) __attribute__((always_inline))->decltype(auto) {
      return visit(CodedValues<c, Scalar>{bytes, table});
    });
}

/// Whether a coding keeps all values, bit for bit or as nearly as it can.
template <Coding c, class Scalar> bool keeps_all(std::span<const Scalar> values)
{
  if constexpr (CodingOf<c>::most > 0) return false;
  else {
    const auto *const first = reinterpret_cast<const double *>(values.data());
    return std::all_of(first, first + values.size_bytes() / sizeof(double), [](double v) { return CodingOf<c>::keeps(v); });
  }
}

} // namespace petscspmv::kernels
