// The contract for the kernels through Kokkos, on the host: with one thread by Kokkos' Serial, with several by its OpenMP.

#include <memory>
#include <string>
#include <utility>

#include "format_contract.hpp"

namespace petscspmv::test {
namespace {

/// A format that multiplies through Kokkos.
template <class F> class ThroughKokkos {
public:
  using scalar_type = typename F::scalar_type;
  using index_type  = typename F::index_type;
  using View        = CsrView<scalar_type, index_type>;

  static constexpr std::string_view name    = F::name;
  static constexpr bool             any_isa = true; ///< they are compiled for the least one

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

template <class F> class KokkosTeamsTest : public FormatTest<F> {
};
using Real = Portable<Joined<AllFormats<double, std::int32_t>>::types>::types;
TYPED_TEST_SUITE(KokkosTeamsTest, Real, FormatName);

// On a device, threads of a team share the work on a tile, which on the host only one has to do; unless it is asked for.
TYPED_TEST(KokkosTeamsTest, TeamsOfSeveralThreadsAndLanes)
{
  using Problem = typename TestFixture::Problem;
  if (runtime::max_threads() < 4) GTEST_SKIP() << "Kokkos has less than four threads.";
  for (const auto &named : this->all()) {
    if (named.large) continue;
    const Problem exact(named, Mode::exact), rounded(named, Mode::rounded);
    if (exact.a.val.size() > 1000)
      continue; // threads of a team wait for one another all the time, and there may be more of them than processors
    for (const OptionValues &options : option_variants<TypeParam>(1)) {
      for (const auto &[team, lanes] : {std::pair(2, 1), std::pair(4, 4), std::pair(3, 2)}) {
        SCOPED_TRACE(named.name + ", " + describe(options) + "team of " + std::to_string(team) + " x " + std::to_string(lanes));
        TypeParam format(exact.a.view(), options, this->threads(4), team, lanes);
        for (const auto &c : exact.cases) {
          if (named.fixed_values) continue;
          ASSERT_EQ(exact.wrong(format, c, -1.0, 0.5), "");
        }
        format.refresh(rounded.a.view());
        for (const auto &c : rounded.cases) {
          ASSERT_EQ(rounded.wrong(format, c, 1.0, 0.0), "");
          ASSERT_TRUE(same_bits(Problem::multiply(format, c, 0.5, -1.0), Problem::multiply(format, c, 0.5, -1.0)));
        }
      }
    }
  }
}

} // namespace
} // namespace petscspmv::test
