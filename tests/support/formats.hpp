#pragma once

/// \file formats.hpp
/// The list of formats under test, and the options to test each with.

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interface/type_list.hpp"
#include "support/csr_matrix.hpp"

namespace petscspmv::test {

/// A format that has been built, as an object that can be moved and passed on.
template <class Scalar, class Index> class Built {
public:
  using scalar_type = Scalar;
  using index_type  = Index;
  using View        = CsrView<Scalar, Index>;

  explicit Built(FormatPtr<Scalar, Index> format) : format_(std::move(format)) { }

  bool refresh(const View &a) { return format_->refresh(a); }
  void multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) { format_->multiply(op, alpha, x, beta, y); }
  void multiply_many(Operation op, Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int columns)
  {
    format_->multiply_many(op, alpha, x, ldx, beta, y, ldy, columns);
  }
  bool      leaves_several() const { return format_->leaves_several(); }
  Footprint footprint() const { return format_->footprint(); }
  Facts     facts() const { return format_->facts(); }

  /// For those who know which class it is.
  const Format<Scalar, Index> &format() const { return *format_; }

private:
  FormatPtr<Scalar, Index> format_;
};

/// Type number n of the list as a class, for which a test is written.
template <class Scalar, class Index, std::size_t n> class Listed : public Built<Scalar, Index> {
public:
  using typename Built<Scalar, Index>::View;

  static constexpr const FormatType<Scalar, Index> &type = all_types<Scalar, Index>[n];

  static constexpr std::string_view name       = type.name;
  static constexpr bool             borrows    = type.borrows;
  static constexpr bool             transposes = type.transposes;

  static auto        options() { return type.options; }
  static std::size_t predicted_bytes(const View &a, const OptionValues &options) { return type.predicted_bytes(a, options); }

  Listed(const View &a, const OptionValues &options, const Execution &execution) : Built<Scalar, Index>(type.build(a, options, execution))
  {
  }
};

/// Where in the list a type is.
constexpr std::size_t number_of(std::string_view name)
{
  std::size_t n = 0;
  while (all_types<double, std::int32_t>[n].name != name) ++n;
  return n;
}

template <class Scalar, class Index> using AijSpec  = Listed<Scalar, Index, number_of("aijspec")>;
template <class Scalar, class Index> using AijLight = Listed<Scalar, Index, number_of("aijlight")>;
template <class Scalar, class Index> using Ccoo     = Listed<Scalar, Index, number_of("ccoo")>;
template <class Scalar, class Index> using Bccoo    = Listed<Scalar, Index, number_of("bccoo")>;

/// One of them with every scalar and index.
template <template <class Scalar, class Index> class F>
using EveryNumber = ::testing::Types<F<double, std::int32_t>, F<double, std::int64_t>, F<std::complex<double>, std::int32_t>,
                                     F<std::complex<double>, std::int64_t>>;

template <class Scalar, class Index, std::size_t... n>::testing::Types<Listed<Scalar, Index, n>...> listed(std::index_sequence<n...>);
template <class Scalar, class Index>
using AllFormats = decltype(listed<Scalar, Index>(std::make_index_sequence<all_types<Scalar, Index>.size()>()));

template <class... F, class... G>::testing::Types<F..., G...> operator+(::testing::Types<F...>, ::testing::Types<G...>);

/// Every format with every scalar and index.
using Formats = decltype(AllFormats<double, std::int32_t>() + AllFormats<double, std::int64_t>() +
                         AllFormats<std::complex<double>, std::int32_t>() + AllFormats<std::complex<double>, std::int64_t>());

struct FormatName {
  template <class F> static std::string GetName(int)
  {
    return std::string(F::name) + (IsComplex<typename F::scalar_type>::value ? "_complex" : "_real") +
           std::to_string(8 * sizeof(typename F::index_type));
  }
};

std::string describe(const OptionValues &options);

/// Whether it multiplies on a device, as OnDevice<F> does.
template <class F> inline constexpr bool is_on_device = requires
{
  F::on_device_only;
};

/// The instruction sets that can be asked for here, as values of the option "isa"; just {0} for a format without that
/// option. 0 (auto) is left out where there is a choice, as it is one of the others.
template <class F> std::vector<std::int64_t> instruction_sets()
{
  using Scalar = typename F::scalar_type;
  using Index  = typename F::index_type;
  if constexpr (is_on_device<F> || requires { F::any_isa; }) return {0};
  for (const OptionSpec &spec : F::options()) {
    if (spec.key != "isa") continue;
    std::vector<std::int64_t> usable;
    for (std::int64_t isa = 1; isa <= spec.max; ++isa) {
      OptionValues options{F::options()};
      options.set("isa", isa);
      try {
        F(CsrView<Scalar, Index>{0, 0, nullptr, nullptr, nullptr, 0, nullptr}, options, Execution{});
        usable.push_back(isa);
      } catch (const FormatError &) {
      }
    }
    return usable;
  }
  return {0};
}

/// Made from the table of options that count in `space`: the defaults, every option at its least, every option at its
/// most, and random ones near the least, where the boundaries between pieces of work are dense; none twice.
std::vector<OptionValues> option_variants(std::span<const OptionSpec> table, MemorySpace space, int random_ones);

/// Those that count where the format multiplies.
template <class F> std::vector<OptionValues> option_variants(int random_ones)
{
  return option_variants(F::options(), is_on_device<F> ? MemorySpace::device : MemorySpace::host, random_ones);
}

/// Every variant with every instruction set.
template <class F> std::vector<OptionValues> option_variants_with_isa(int random_ones)
{
  std::vector<OptionValues> all;
  for (const OptionValues &options : option_variants<F>(random_ones))
    for (std::int64_t isa : instruction_sets<F>()) {
      all.push_back(options);
      if (isa > 0) all.back().set("isa", isa);
    }
  return all;
}

} // namespace petscspmv::test
