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
#include <memory>

#include "core/format.hpp"

namespace petscspmv {

namespace aijauto {

/// The options, whatever types there are.
std::span<const OptionSpec> options();

/// Seconds of PETSc's own products that come first.
double head_start(const OptionValues &options);

/// The types are kept as a view.
template <class Scalar, class Index>
std::unique_ptr<AnyFormat<Scalar, Index>> make_chooser(std::span<const FormatType<Scalar, Index>> types, const CsrView<Scalar, Index> &a,
                                                       const OptionValues &options, const Execution &execution);

/// Bytes of the type that it begins as.
template <class Scalar, class Index>
std::size_t predicted_bytes(std::span<const FormatType<Scalar, Index>> types, const CsrView<Scalar, Index> &a, const OptionValues &options);

} // namespace aijauto

template <class Scalar, class Index, SpmvFormat... F> class AijAuto {
public:
  using scalar_type = Scalar;
  using index_type  = Index;
  using View        = CsrView<Scalar, Index>;
  using Type        = FormatType<Scalar, Index>;

  static_assert(sizeof...(F) <= Outlook::most_ways);

  static constexpr std::string_view name       = "aijauto";
  static constexpr std::string_view method     = "plain CSR, and the fastest type once products have paid for the conversion";
  static constexpr bool             borrows    = true;
  static constexpr bool             on_device  = built_for_device; ///< as the first type; others may be for the host alone
  static constexpr bool             transposes = false;

  static std::span<const OptionSpec> options() { return aijauto::options(); }
  static double                      head_start(const OptionValues &options) { return aijauto::head_start(options); }
  static std::size_t                 predicted_bytes(const View &a, const OptionValues &options)
  {
    return aijauto::predicted_bytes<Scalar, Index>(ways(), a, options);
  }

  /// The types to choose from.
  static std::span<const Type> ways()
  {
    static const std::array<Type, sizeof...(F)> all{format_type<F>()...};
    return all;
  }

  AijAuto(const View &a, const OptionValues &options, const Execution &execution)
    : chooser_(aijauto::make_chooser<Scalar, Index>(ways(), a, options, execution))
  {
  }
  void refresh(const View &a) { chooser_->refresh(a); }
  void multiply(Operation op, Scalar alpha, const Scalar *x, Scalar beta, Scalar *y) { chooser_->multiply(op, alpha, x, beta, y); }
  void multiply_many(Scalar alpha, const Scalar *x, std::int64_t ldx, Scalar beta, Scalar *y, std::int64_t ldy, int columns)
  {
    chooser_->multiply_many(alpha, x, ldx, beta, y, ldy, columns);
  }
  bool      leaves_several() const { return chooser_->leaves_several(); }
  Footprint footprint() const { return chooser_->footprint(); }
  Facts     facts() const { return chooser_->facts(); }
  Outlook   outlook(const View &a, double elsewhere) { return chooser_->outlook(a, elsewhere); }
  void      change(const View &a, int way) { chooser_->change(a, way); }
  int       recall(const std::string &choice, double seconds) { return chooser_->recall(choice, seconds); }

private:
  std::unique_ptr<AnyFormat<Scalar, Index>> chooser_;
};

} // namespace petscspmv
