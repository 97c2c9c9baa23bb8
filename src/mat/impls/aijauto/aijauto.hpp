#pragma once

/// \file aijauto.hpp
/// The type that chooses by itself: it begins as plain CSR, and goes on as another type when products have paid for
/// that. And because even plain CSR is not built for nothing, the very first products are PETSc's own.
///
/// Which types there are to choose from is said by the list of types above (interface/type_list.hpp): formats do not
/// know one another. The first of them is plain CSR, which costs next to nothing to build. When to change over:
/// select/rental.hpp; what is expected of a type before it is built: select/model.hpp, scaled by how long products have
/// taken here.

#include <array>
#include <span>

#include "core/format.hpp"

namespace petscspmv {

namespace aijauto {

extern const std::array<OptionSpec, 2> option_table;

/// Seconds of PETSc's own products that come first.
double head_start(const OptionValues &options);

/// The types are kept as a view.
template <class Scalar, class Index>
FormatPtr<Scalar, Index> make_chooser(std::span<const FormatType<Scalar, Index>> types, const CsrView<Scalar, Index> &a,
                                      const OptionValues &options, const Execution &execution);

/// Bytes of the type that it begins as.
template <class Scalar, class Index>
std::size_t predicted_bytes(std::span<const FormatType<Scalar, Index>> types, const CsrView<Scalar, Index> &a, const OptionValues &options);

/// The functions of the table below.
template <class Scalar, class Index, const auto &types> struct Among {
  static_assert(types.size() <= Outlook::most_ways);

  static std::span<const FormatType<Scalar, Index>> ways() { return types; }
  static std::size_t                                predicted_bytes(const CsrView<Scalar, Index> &a, const OptionValues &options)
  {
    return aijauto::predicted_bytes(ways(), a, options);
  }
  static FormatPtr<Scalar, Index> build(const CsrView<Scalar, Index> &a, const OptionValues &options, const Execution &execution)
  {
    return make_chooser(ways(), a, options, execution);
  }
};

} // namespace aijauto

/// `types` are those to choose from.
template <class Scalar, class Index, const auto &types>
inline constexpr FormatType<Scalar, Index> aijauto_type{
  .name            = "aijauto",
  .method          = "plain CSR, and the fastest type once products have paid for the conversion",
  .borrows         = true,
  .transposes      = false,
  .options         = aijauto::option_table,
  .predicted_bytes = aijauto::Among<Scalar, Index, types>::predicted_bytes,
  .on_host         = aijauto::Among<Scalar, Index, types>::build,
  .on_device =
    built_for_device ? aijauto::Among<Scalar, Index, types>::build : nullptr, // as the first type; others may be for the host alone
  .has_ways   = true,
  .ways       = aijauto::Among<Scalar, Index, types>::ways,
  .head_start = aijauto::head_start,
};

} // namespace petscspmv
