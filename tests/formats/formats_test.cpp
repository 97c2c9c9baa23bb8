// The contract on the host, and what is known of the host alone.

#include "format_contract.hpp"

namespace petscspmv::test {

INSTANTIATE_TYPED_TEST_SUITE_P(Host, FormatTest, Formats, FormatName);

namespace {

template <class F> using HostFormatTest = FormatTest<F>;
TYPED_TEST_SUITE(HostFormatTest, Formats, FormatName);

TYPED_TEST(HostFormatTest, FootprintIsWhatWasPredicted)
{
  using Problem = typename TestFixture::Problem;
  for (const auto &named : this->all()) {
    if (named.large) continue;
    const Problem problem(named, Mode::exact);
    for (const OptionValues &options : option_variants<TypeParam>(3)) {
      SCOPED_TRACE(named.name + ", " + describe(options));
      const TypeParam format(problem.a.view(), options, this->threads(1));
      EXPECT_EQ(format.footprint().total(), TypeParam::predicted_bytes(problem.a.view(), options));
    }
  }
}

} // namespace
} // namespace petscspmv::test
