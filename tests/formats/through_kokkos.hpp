#pragma once

/// \file through_kokkos.hpp
/// Formats that multiply by their kernels through Kokkos.

#include <gtest/gtest.h>

#include "support/formats.hpp"

namespace petscspmv::test {

template <class F> class ThroughKokkos : public Built<typename F::scalar_type, typename F::index_type> {
  using Base = Built<typename F::scalar_type, typename F::index_type>;

public:
  using typename Base::View;

  static constexpr std::string_view name       = F::name;
  static constexpr bool             borrows    = F::borrows;
  static constexpr bool             transposes = F::transposes;
  static constexpr bool             any_isa    = true; ///< they are compiled for the least one

  static auto options() { return F::options(); }

  ThroughKokkos(const View &a, const OptionValues &options, const Execution &execution, int team = 0, int lanes = 0)
    : Base(F::type.build(a, options, {execution.space, execution.threads, Kernels::kokkos, team, lanes}))
  {
  }
};

/// The same with tiles as on a device, and one thread a team.
template <class F> class InTeams : public ThroughKokkos<F> {
public:
  using typename ThroughKokkos<F>::View;

  InTeams(const View &a, const OptionValues &options, const Execution &execution) : ThroughKokkos<F>(a, options, execution, 1, 1) { }
};

/// The formats of a list with those kernels. One that has none multiplies as it does without.
template <class List> struct Portable;
template <class... F> struct Portable<::testing::Types<F...>> {
  using types    = ::testing::Types<ThroughKokkos<F>...>;
  using in_teams = ::testing::Types<InTeams<F>...>;
};

} // namespace petscspmv::test
