// The contract for the kernels through Kokkos, on the host: with one thread by Kokkos' Serial, with several by its OpenMP.

#include <memory>

#include "format_contract.hpp"

namespace petscspmv::test {
namespace {

/// A format that multiplies through Kokkos.
template <class F> class ThroughKokkos {
public:
  using scalar_type = typename F::scalar_type;
  using index_type  = typename F::index_type;
  using View        = CsrView<scalar_type, index_type>;

  static constexpr std::string_view name = F::name;

  static auto options() { return F::options(); }

  ThroughKokkos(const View &a, const OptionValues &options, const Execution &execution) : format_(F::through_kokkos(a, options, execution))
  {
  }

  void refresh(const View &a) { format_->refresh(a); }
  void multiply(Operation op, scalar_type alpha, const scalar_type *x, scalar_type beta, scalar_type *y)
  {
    format_->multiply(op, alpha, x, beta, y);
  }

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

INSTANTIATE_TYPED_TEST_SUITE_P(Kokkos, FormatTest, Portable<Formats>::types, FormatName);

template <class F> class KokkosTeamsTest : public FormatTest<F> { };
using Real = Portable<Joined<AllFormats<double, std::int32_t>>::types>::types;

} // namespace
} // namespace petscspmv::test
