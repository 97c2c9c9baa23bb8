// The contract on the host, and what is known of the host alone.

#include <cstring>

#include "format_contract.hpp"
#include "kernels/host/scratch.hpp"

namespace petscspmv::test {

INSTANTIATE_TYPED_TEST_SUITE_P(Host, FormatTest, Formats, FormatName);

namespace {

template <class F> using HostFormatTest = FormatTest<F>;
TYPED_TEST_SUITE(HostFormatTest, Formats, FormatName);

TYPED_TEST(HostFormatTest, FootprintIsWhatWasPredicted)
{
  this->for_small(Mode::exact, option_variants<TypeParam>(3), [](const auto &problem, const OptionValues &options) {
    const TypeParam format(problem.a.view(), options, TestFixture::threads(1));
    EXPECT_EQ(format.footprint().total(), TypeParam::predicted_bytes(problem.a.view(), options));
  });
}

// Scratch memory is that of all matrices: a product finds there whatever another one has left.
TYPED_TEST(HostFormatTest, ReadsNothingThatScratchHeldBefore)
{
  constexpr std::size_t bytes = 1 << 20;
  kernels::ScratchClaim claim;
  claim.raise(bytes);
  this->for_small(Mode::rounded, option_variants<TypeParam>(3), [&claim](const auto &problem, const OptionValues &options) {
    TypeParam format(problem.a.view(), options, TestFixture::threads(2));
    for (const auto &c : problem.cases) {
      std::memset(claim.borrow(bytes).data(), 0xff, bytes); // NaN, and true
      EXPECT_EQ(problem.wrong(format, c, 0.5, -1.0), "");
    }
  });
}

} // namespace
} // namespace petscspmv::test
