#pragma once

/// \file through_kokkos.hpp
/// Formats that multiply by their kernels through Kokkos.

#include <gtest/gtest.h>

#include <memory>
#include <type_traits>

#include "core/format.hpp"
#include "support/formats.hpp"

namespace petscspmv::test {

template <class F> class ThroughKokkos {
public:
  using scalar_type = typename F::scalar_type;
  using index_type  = typename F::index_type;
  using View        = CsrView<scalar_type, index_type>;

  static constexpr std::string_view name       = F::name;
  static constexpr bool             borrows    = F::borrows;
  static constexpr bool             transposes = F::transposes;
  static constexpr bool             any_isa    = true; ///< they are compiled for the least one

  static auto options() { return F::options(); }

  ThroughKokkos(const View &a, const OptionValues &options, const Execution &execution, int team = 0, int lanes = 0)
    : format_(F::through_kokkos(a, options, execution, team, lanes))
  {
  }

  void refresh(const View &a) { format_->refresh(a); }
  void multiply(Operation op, scalar_type alpha, const scalar_type *x, scalar_type beta, scalar_type *y)
  {
    format_->multiply(op, alpha, x, beta, y);
  }
  void multiply_many(scalar_type alpha, const scalar_type *x, std::int64_t ldx, scalar_type beta, scalar_type *y, std::int64_t ldy,
                     int columns)
  {
    format_->multiply_many(alpha, x, ldx, beta, y, ldy, columns);
  }
  void multiply_many_transposed(scalar_type alpha, const scalar_type *x, std::int64_t ldx, scalar_type beta, scalar_type *y,
                                std::int64_t ldy, int columns)
  {
    format_->multiply_many_transposed(alpha, x, ldx, beta, y, ldy, columns);
  }
  Footprint footprint() const { return format_->footprint(); }
  Facts     facts() const { return format_->facts(); }

private:
  std::unique_ptr<AnyFormat<scalar_type, index_type>> format_;
};

/// Of a list of formats, those that have such kernels.
template <class List, class... Kept> struct Portable;
template <class... Kept> struct Portable<::testing::Types<>, Kept...> {
  using types = ::testing::Types<ThroughKokkos<Kept>...>;
};
template <class F, class... More, class... Kept>
struct Portable<::testing::Types<F, More...>, Kept...>
  : std::conditional_t<HasKokkosKernels<F>, Portable<::testing::Types<More...>, Kept..., F>, Portable<::testing::Types<More...>, Kept...>> {
};

} // namespace petscspmv::test
