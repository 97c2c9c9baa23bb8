#pragma once

/// \file codings.hpp
/// What each coding of values is. Other files go by what is said here, and name only the one that leaves values as they
/// are (plain_coding).
///
/// A coding is a class without objects. bits<Scalar> are those of a value, `most` the entries of its table at most, 0
/// if it has none. lanes<L>(bytes, table, i) are real values i, i + 1, ..., one for each lane of L. With a table,
/// place() is where a value is in it, and put() writes that to bytes that are 0; without one, real numbers are kept as
/// `Number`, and keeps() says whether one can be.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/options.hpp"
#include "kernels/coding/float_bits.hpp"

namespace petscspmv::kernels {

template <class T> [[gnu::always_inline]] inline T read_as(const std::byte *p)
{
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

/// Places in a table, each of so many bits; of four, the low ones come first.
template <int width> struct Places {
  using Code                                        = std::conditional_t<width == 16, std::uint16_t, std::uint8_t>;
  template <class Scalar> static constexpr int bits = width;
  static constexpr std::int64_t                most = std::int64_t(1) << width;

  [[gnu::always_inline]] static std::size_t place(const std::byte *bytes, std::int64_t i)
  {
    if constexpr (width == 0) return 0;
    else if constexpr (width == 4) return std::to_integer<std::size_t>(bytes[i >> 1]) >> (i & 1) * 4 & 15;
    else return read_as<Code>(bytes + static_cast<std::int64_t>(sizeof(Code)) * i);
  }
  static void put(std::byte *bytes, std::size_t i, std::uint16_t place)
  {
    const auto code = static_cast<Code>(place);
    if constexpr (width == 4) bytes[i / 2] |= static_cast<std::byte>(code << i % 2 * 4);
    else std::memcpy(bytes + sizeof code * i, &code, sizeof code);
  }
  template <class L> [[gnu::always_inline]] static auto lanes(const std::byte *bytes, const double *table, std::int64_t i)
  {
    static_assert(width != 4, "Lanes look up places of four bits in registers.");
    if constexpr (width == 0) return L::set(table[0]);
    else return L::gather(table, reinterpret_cast<const Code *>(bytes) + i);
  }
};

/// Real numbers, two of them to a complex value.
template <class N> struct Numbers {
  using Number                                      = N;
  template <class Scalar> static constexpr int bits = 8 * sizeof(N) * (sizeof(Scalar) / sizeof(double));
  static constexpr std::int64_t                most = 0;

  template <class L> [[gnu::always_inline]] static auto lanes(const std::byte *bytes, const double *, std::int64_t i)
  {
    return L::load(reinterpret_cast<const N *>(bytes) + i);
  }
};

/// Where every value is exactly a float.
struct Singles : Numbers<float> {
  static constexpr bool keeps(double v) { return is_single(v); }
};
/// The values as they are.
struct Raw : Numbers<double> {
  static constexpr bool keeps(double) { return true; }
};
/// The nearest floats.
struct Rounded : Numbers<float> {
  static constexpr bool keeps(double v) { return rounds_to_single(v); }
};

/// How consecutive values are kept; a value of a complex matrix is a pair that is coded as one thing. Those behind
/// `raw` lose bits, and are for matrices whose option `precision` asks for them. Behind that the classes in the same
/// order, what facts call them, and the values of the option `values` that ask for them.
enum class Coding : std::uint8_t { constant, table16, table256, table65536, single, raw, rounded };
using CodingList                     = std::tuple<Places<0>, Places<4>, Places<8>, Places<16>, Singles, Raw, Rounded>;
inline constexpr auto coding_names   = names<Coding>({{Coding::constant, "constant"},
                                                      {Coding::table16, "table of 16"},
                                                      {Coding::table256, "table of 256"},
                                                      {Coding::table65536, "table of 65536"},
                                                      {Coding::single, "fp32"},
                                                      {Coding::raw, "raw"},
                                                      {Coding::rounded, "rounded to fp32"}});
inline constexpr auto coding_choices = or_auto(names<Coding>({{Coding::constant, "constant"},
                                                              {Coding::table16, "table16"},
                                                              {Coding::table256, "table256"},
                                                              {Coding::table65536, "table65536"},
                                                              {Coding::single, "fp32"},
                                                              {Coding::raw, "raw"}}));

inline constexpr int    coding_count = std::tuple_size_v<CodingList>;
inline constexpr Coding plain_coding = Coding::raw;
/// A class: of an alias, nvcc makes a cast of `c` that g++ 13 refuses.
template <Coding c> struct CodingAt : std::tuple_element<static_cast<std::size_t>(c), CodingList> {
};
template <Coding c> using CodingOf            = typename CodingAt<c>::type;
template <std::size_t k> using NumberedCoding = std::integral_constant<Coding, static_cast<Coding>(k)>;
static_assert(coding_names.size() == coding_count && coding_choices.size() == static_cast<std::size_t>(plain_coding) + 2);

/// The coding that has the same decoder and is looked at in its stead, so that no kernel is compiled twice.
[[gnu::always_inline]] constexpr Coding decoder_of(Coding c)
{
  return c == Coding::rounded ? Coding::single : c;
}

/// Calls visit(NumberedCoding) for `coding`; `decoders`: which is one of those.
template <bool decoders = false, std::size_t k = coding_count - 1, class Visit>
[[gnu::always_inline]] constexpr decltype(auto) visit_coding(Coding coding, const Visit &visit)
{
  constexpr NumberedCoding<k> c;
  if constexpr (decoders && decoder_of(c) != c) return visit_coding<decoders, k - 1>(coding, visit);
  else {
    if constexpr (k > 0)
      if (coding != c) return visit_coding<decoders, k - 1>(coding, visit);
    return visit(c);
  }
}

/// The same for each of them.
template <class Visit> constexpr void for_each_coding(const Visit &visit)
{
  [&]<std::size_t... k>(std::index_sequence<k...>)
  {
    (visit(NumberedCoding<k>()), ...);
  }
  (std::make_index_sequence<coding_count>());
}

/// Bits of a value.
template <class Scalar> constexpr int coded_bits(Coding c)
{
  return visit_coding(c, [](auto of) { return CodingOf<of>::template bits<Scalar>; });
}

/// Most entries of the table of a coding that has one, else 0.
constexpr std::int64_t table_limit(Coding c)
{
  return visit_coding(c, [](auto of) { return CodingOf<of>::most; });
}

} // namespace petscspmv::kernels
