#pragma once

/// \file formats.hpp
/// The list of formats under test, and the options to test each with.

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "interface/type_list.hpp"
#include "support/csr_matrix.hpp"

namespace petscspmv::test {

template <class... List> struct Joined;
template <class... F> struct Joined<FormatList<F...>> {
  using types = ::testing::Types<F...>;
};
template <class... F, class... G, class... More>
struct Joined<FormatList<F...>, FormatList<G...>, More...> : Joined<FormatList<F..., G...>, More...> {
};

/// Every format with every scalar and index.
using Formats = Joined<AllFormats<double, std::int32_t>, AllFormats<double, std::int64_t>, AllFormats<std::complex<double>, std::int32_t>,
                       AllFormats<std::complex<double>, std::int64_t>>::types;

struct FormatName {
  template <class F> static std::string GetName(int)
  {
    return std::string(F::name) + (IsComplex<typename F::scalar_type>::value ? "_complex" : "_real") +
           std::to_string(8 * sizeof(typename F::index_type));
  }
};

inline std::string describe(const OptionValues &options)
{
  std::string text;
  for (const OptionSpec &spec : options.table()) text += std::string(spec.key) + "=" + options.text(spec) + " ";
  return text;
}

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

/// Made from the table of options that count where the format multiplies: the defaults, every option at its least,
/// every option at its most, and random ones near the least, where the boundaries between pieces of work are dense; none
/// twice.
template <class F> std::vector<OptionValues> option_variants(int random_ones)
{
  constexpr MemorySpace     space = is_on_device<F> ? MemorySpace::device : MemorySpace::host;
  Random<double>            random(4711);
  std::vector<OptionValues> variants;
  for (int k = 0; k < 3 + random_ones; ++k) {
    OptionValues options(F::options());
    for (const OptionSpec &spec : F::options()) {
      if (spec.key == "isa" || !spec.counts_in(space) || k == 0) continue;
      options.set(spec.key, k == 1 ? spec.min : k == 2 ? spec.max : random.integer(spec.min, std::min(spec.max, spec.min + 11)));
    }
    if (std::find(variants.begin(), variants.end(), options) == variants.end()) variants.push_back(std::move(options));
  }
  return variants;
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
